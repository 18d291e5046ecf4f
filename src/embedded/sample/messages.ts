import type { Answers } from '../answers.ts';
import type { Contact, Message, Reaction } from '../resources.ts';
import type { PlannedConversation } from './plan.ts';
import type { Random } from './random.ts';

interface ChatPlan {
  random: Random;
  conversationId: string;
  owner: Contact;
  others: Contact[];
  planned: Pick<PlannedConversation, 'messages' | 'lastAt'>;
  /** Timestamp units per second. */
  scale: number;
  shape: Answers['attachments'];
}

const REACTION_NAMES = ['❤️', '👍', '😂', '🎉', 'heart', 'thumbs up', 'seen'] as const;

/** Creates the messages of a conversation, oldest first, each at a different time. */
export function createMessages(plan: ChatPlan): Message[] {
  const { random, owner, others, planned, scale } = plan;
  const people = [owner, ...others];
  // Most conversations are read; of the others, up to three messages are not.
  const unread = Math.max(0, random.below(10) - 6);
  let speakers = people;
  const chat = createChat(random, planned.messages).map((line) => {
    if (line.startsDialogue) speakers = random.shuffle(people);
    const secondsSinceLast = line.startsDialogue
      ? 1800 + random.below(54_000)
      : 9 + random.below(240);
    return { ...line, sender: speakers[line.speaker] ?? owner, secondsSinceLast };
  });

  const messages: Message[] = [];
  let at = planned.lastAt;
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

/** What the placeholders of the dialogues stand for. */
const WORDS = {
  day: 'Monday, Tuesday, Thursday, Friday, Saturday, Sunday, tomorrow',
  time: '9:15, 11:00, 12:30, 17:45, 18:30, 19:00, 20:15',
  place:
    'Alfama, Café Luz, the harbour, Sintra, the old cinema, Kino, Graça, the market hall',
  dish: 'bacalhau, the lentil stew, pad thai, your lasagne, jollof rice, kardemummabullar',
};

interface Line {
  text: string;
  /** Which of the two people of a dialogue speaks. */
  speaker: 0 | 1;
  startsDialogue: boolean;
}

/** Creates `count` lines of chat. A dialogue repeats only after all the others were used. */
function createChat(random: Random, count: number): Line[] {
  const lines: Line[] = [];
  let deck: string[] = [];
  while (lines.length < count) {
    if (deck.length === 0) deck = random.shuffle(DIALOGUES);
    let dialogue = deck.pop() ?? '';
    for (const [name, words] of Object.entries(WORDS))
      dialogue = dialogue.replaceAll(`{${name}}`, random.pick(words.split(', ')));
    for (const [index, text] of dialogue.split(' / ').entries())
      lines.push({ text, speaker: index % 2 === 0 ? 0 : 1, startsDialogue: index === 0 });
  }
  return lines.slice(0, count);
}

/** Short dialogues in which two people take turns, line by line. `{day}` and the like are placeholders. */
const DIALOGUES: readonly string[] = [
  'Are you free {day} around {time}? / I am! What did you have in mind? / Dinner at {place}? / Yes please 🎉',
  'Can you send me the link again? / https://media.example/notes?id=42&tab=2 / Got it, thanks',
  'What was that {dish} recipe of yours? / Half of it is butter. The other half is hope. / 😂 writing that down / Seriously though: 180 °C, 35 minutes, then rest it',
  'Photos from {place} are up / The third one is wonderful / The light did all the work',
  'Shall we split it 60/40 or 50/50? / 50/50 is fine / So that is 100% agreed then',
  'Is the meeting still on? / Moved to {time} / Same room? / Same room',
  'Tickets are €24 + €2 fee / Go for it, I will pay you back / a = 24, b = 2, you = late as always / harsh but fair',
  'Shopping list:\n- tomatoes\n- rice\n- lemons (4)\n- that cheese / Which cheese / THE cheese / Understood',
  'Have you read the draft? / Halfway. Chapter two is much better now. / That was your idea! / Then it is brilliant',
  '早上好!今天去{place}吗? / 好啊,{time}见 / 我带茶',
  'Bom dia! Já chegaste? / Ainda não, estou em {place} / Sem pressa ☕',
  'صباح الخير! هل وصلت؟ / نعم، أنا في المطعم / دقيقتان وأصل',
  'It is snowing here! / In {place}? Show me / Too fast, it melted before I found the camera',
  'Quick question: is it “affect” or “effect”? / Depends on the sentence / The rain will ___ our plans / affect / Thank you 🙏',
  'The cat is on the keyboard agaaaaaain / Tell her hello / She says jjjjjjjjjjkkkk;;',
  'Thinking of you today / That means a lot. Thank you.',
  'ok / ok? / ok as in yes / ok 😄',
  'Is {dish} vegetarian? / The way they make it at {place}, yes / And the way you make it? / Let us say “mostly”',
  'Agenda for {day}:\n\n1. budget\n2. posters\n3. who waters the plants / Can I add “cake”? / Item 0',
  'Password for the wifi? / It is on the fridge: sun&moon=2% / Of course it is',
  'Landed! / Welcome back! How was {place}? / Warm, loud, wonderful. I need a week of sleep.',
];
