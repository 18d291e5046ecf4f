import type { Answers } from '../answers.ts';
import type { Contact, Message, Reaction } from '../resources.ts';
import { createAttachment } from './attachments.ts';
import { createChat } from './chat.ts';
import type { Random } from './random.ts';

/** What the messages of one sample conversation are made from. */
interface ChatPlan {
  random: Random;
  conversationId: string;
  owner: Contact;
  others: Contact[];
  count: number;
  /** When the last one was created. Unit: seconds, whatever the timestamps have. */
  lastAt: number;
  /** Timestamps in a second. */
  scale: number;
  shape: Answers['attachments'];
}

const REACTION_NAMES = ['❤️', '👍', '😂', '🎉', 'heart', 'thumbs up', 'seen'] as const;

/** The messages of a conversation, oldest first; no two of them at the same moment. */
export function createMessages(plan: ChatPlan): Message[] {
  const { random, owner, others, lastAt, scale } = plan;
  const people = [owner, ...others];
  const unread = random.below(4);
  let speakers = people;
  const chat = createChat(random, plan.count).map((line) => {
    if (line.opens) speakers = random.shuffle(people);
    const seconds = line.opens ? 1800 + random.below(54_000) : 9 + random.below(240);
    return { ...line, sender: speakers[line.turn] ?? owner, secondsSinceLast: seconds };
  });

  const messages: Message[] = [];
  let at = lastAt;
  // Backwards, so that the last one is where the conversation was last active.
  for (const { text, sender, secondsSinceLast } of chat.reverse()) {
    const isUnread = messages.length < unread;
    messages.push({
      id: `msg_0${random.hex(11)}`,
      conversation_id: plan.conversationId,
      contact: sender,
      message: text,
      reactions: random.chance(0.14) ? createReactions(random, people) : [],
      attachments: random.chance(0.08) ? [createAttachment(random, plan.shape)] : [],
      read_at: isUnread ? null : (at + 2 + random.below(400)) * scale,
      created_at: at * scale,
      updated_at: random.chance(0.05) ? (at + 20 + random.below(300)) * scale : null,
    });
    at -= secondsSinceLast;
  }
  return messages.reverse();
}

function createReactions(random: Random, people: Contact[]): Reaction[] {
  const names = random.shuffle(REACTION_NAMES).slice(0, 1 + random.below(2));
  return names.map((name) => {
    const reacting = random.shuffle(people).slice(0, 1 + random.below(people.length));
    return { [name]: reacting.map(({ username }) => username) };
  });
}
