/** The moment the sample data was taken, in seconds: Sunday, 1 March 2026, 09:30 UTC. */
export const SAMPLE_TIME = Date.UTC(2026, 2, 1, 9, 30) / 1000;

/** Timestamp units per second. Open point: timestamp unit. */
export const UNITS_PER_SECOND = {
  seconds: 1,
  milliseconds: 1_000,
  microseconds: 1_000_000,
};

/** The sender, embedded in a message. Source: Contact. */
export interface Contact {
  id: string;
  username: string;
  phone_number: string | null;
  avatar_url: string | null;
  last_active_at: number | null;
  created_at: number;
}

/** Usernames by reaction name; the service itself writes one name per object. Source: Reaction. */
export type Reaction = Record<string, string[]>;

/** Timestamps are integers; the `timestampUnit` answer sets their unit. Source: Message. */
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

/** A conversation as its mailbox's owner sees it. Source: Conversation. */
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
