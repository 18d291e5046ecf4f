/** A contact as it stands inside a message. Source: Contact. */
export interface Contact {
  id: string;
  username: string;
  phone_number: string | null;
  avatar_url: string | null;
  last_active_at: number | null;
  created_at: number;
}

/** One reaction name and the usernames behind it. Source: Reaction. */
export type Reaction = Record<string, string[]>;

/** A message. Timestamps: whole numbers, unit by the `timestampUnit` answer. Source: Message. */
export interface Message {
  id: string;
  conversation_id: string;
  contact: Contact;
  message: string;
  reactions: Reaction[];
  attachments: unknown[];
  read_at: number | null;
  created_at: number;
  updated_at: number | null;
}

/** A conversation as one user sees it. Timestamps as in a message. Source: Conversation. */
export interface Conversation {
  id: string;
  contact_id: string | null;
  group_id: string | null;
  pinned_message_id: string | null;
  is_pinned: boolean;
  is_muted: boolean;
  last_active_at: number | null;
  last_opened_at: number | null;
  created_at: number;
  archived_at: number | null;
}
