/** Replaces fields of an object as the service sends it. Source: Resources and their fields. */
type Change = Record<string, unknown>;

export const wireContact = (change: Change = {}) => ({
  id: 'u1',
  username: 'ann',
  phone_number: '+1 555 0100',
  avatar_url: 'https://media.example/ann.png',
  last_active_at: 1700000300,
  created_at: 1600000000,
  ...change,
});

export const wireMessage = (id: string, change: Change = {}) => ({
  id,
  conversation_id: 'c1',
  contact: wireContact(),
  message: `text ${id}`,
  reactions: [],
  attachments: [],
  read_at: null,
  created_at: 1700000000,
  updated_at: null,
  ...change,
});

export const wireConversation = (id: string, change: Change = {}) => ({
  id,
  contact_id: 'u2',
  group_id: null,
  pinned_message_id: null,
  is_pinned: false,
  is_muted: false,
  last_active_at: null,
  last_opened_at: null,
  created_at: 1690000000,
  archived_at: null,
  ...change,
});

export const wirePage = (data: readonly unknown[], hasMore = false) => ({
  has_more: hasMore,
  data,
});

/** The `nodeId` of an object. Computed here anew, because node ids must never change. */
export const nodeIdOf = (type: string, id: unknown): string =>
  Buffer.from(`${type}:${id}`).toString('base64url');
