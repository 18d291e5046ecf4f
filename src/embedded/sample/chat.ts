import type { Random } from './random.ts';

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
export function createChat(random: Random, count: number): Line[] {
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
