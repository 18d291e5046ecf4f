import { makeVar } from '@apollo/client';
import { createContext, use } from 'react';
import { createMessagingClient } from '../../apollo-client.ts';
import { createLiveSocket } from '../../live-socket.ts';
import { type Conversation, openConversation } from './messages.ts';

/** The sample users of the embedded service. An app of your own gets the token when somebody signs in. */
export const TOKENS: Readonly<Record<string, string>> = { ada: 'ada-sample-token', grace: 'grace-sample-token' };

const URI = `${import.meta.env.VITE_GATEWAY ?? location.origin}/graphql`;

/** What a user has while the page is open: a client with its cache, and a socket, open while something is subscribed. */
function createSession(username: string) {
  const token = TOKENS[username] ?? '';
  const isLost = makeVar(false);
  const socket = createLiveSocket(URI, () => token);
  socket.on('connected', () => isLost(false));
  // 1000: nothing is subscribed any more.
  socket.on('closed', (event) => isLost(Object(event).code !== 1000));
  const client = createMessagingClient(URI, () => token, { socket });
  /** How many were unread when a conversation was last shown, by its id and `lastOpenedAt`: no field says that it was opened. */
  const seen = makeVar<Readonly<Record<string, number>>>({});
  /** Kept, because messages may be on their way while another conversation is shown. */
  const open = remember((id): Conversation => openConversation(client, id, username));
  return { username, client, socket, isLost, seen, open };
}

/** Who comes back finds everything where it was. */
export const sessionOf = remember(createSession);

function remember<T>(make: (name: string) => T): (name: string) => T {
  const made = new Map<string, T>();
  return (name) => {
    const one = made.get(name) ?? make(name);
    made.set(name, one);
    return one;
  };
}

export const SessionContext = createContext(sessionOf('ada'));
export const useSession = () => use(SessionContext);
