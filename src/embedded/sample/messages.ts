import type { Answers } from '../answers.ts';
import type { Contact, Message, Reaction } from '../resources.ts';
import { createAttachment } from './attachments.ts';
import { createChat } from './chat.ts';
import type { Random } from './random.ts';

interface ChatPlan {
  random: Random;
  conversationId: string;
  owner: Contact;
  others: Contact[];
  count: number;
  /** When the last message was created. Unit: seconds, also if timestamps have another unit. */
  lastAt: number;
  /** Timestamp units per second. */
  scale: number;
  shape: Answers['attachments'];
}

const REACTION_NAMES = ['❤️', '👍', '😂', '🎉', 'heart', 'thumbs up', 'seen'] as const;

/** Creates the messages of a conversation, oldest first, each at a different time. */
export function createMessages(plan: ChatPlan): Message[] {
  const { random, owner, others, lastAt, scale } = plan;
  const people = [owner, ...others];
  const unread = random.below(4);
  let speakers = people;
  const chat = createChat(random, plan.count).map((line) => {
    if (line.startsDialogue) speakers = random.shuffle(people);
    const secondsSinceLast = line.startsDialogue
      ? 1800 + random.below(54_000)
      : 9 + random.below(240);
    return { ...line, sender: speakers[line.speaker] ?? owner, secondsSinceLast };
  });

  const messages: Message[] = [];
  let at = lastAt;
  // Backward, because the time of the last message is given.
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
