import type { Answers } from '../answers.ts';
import type { Contact, Message, Reaction } from '../resources.ts';
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

/** With objects in objects. */
const SAMPLES = [
  {
    type: 'image',
    url: 'https://media.example/images/harbour.jpg',
    size: { width: 1600, height: 1067, bytes: 412_300 },
    caption: 'the harbour at dusk',
  },
  {
    type: 'file',
    url: 'https://media.example/files/itinerary-v3.pdf',
    file: { name: 'itinerary v3 (final).pdf', mime: 'application/pdf', bytes: 88_214 },
  },
  {
    type: 'voice',
    url: 'https://media.example/voice/note-17.ogg',
    duration: 23.4,
    waveform: [2, 9, 14, 31, 22, 8, 3],
  },
  {
    type: 'location',
    location: {
      name: 'Miradouro da Graça',
      position: { latitude: 38.7163, longitude: -9.1313 },
      live: false,
    },
  },
  {
    type: 'image',
    url: 'https://media.example/images/whiteboard.png',
    size: { width: 2048, height: 1536, bytes: 977_001 },
    caption: null,
  },
];

/** Picks an attachment in the given shape. Open point: attachment fields. */
function createAttachment(random: Random, shape: Answers['attachments']): object {
  const sample = random.pick(SAMPLES);
  if (shape === 'bare') return { type: sample.type };
  return shape === 'flat' ? flatten(sample) : sample;
}

/** On one level: the fields of an object instead of the object, without lists and nulls. */
const flatten = (fields: object): object =>
  Object.fromEntries(
    Object.entries(fields).flatMap(([name, value]) => {
      if (value === null || Array.isArray(value)) return [];
      return typeof value === 'object' ? Object.entries(flatten(value)) : [[name, value]];
    }),
  );
