import { DIALOGUES } from './dialogues.ts';
import type { Random } from './random.ts';

type Words = readonly [string, ...string[]];
const DAYS: Words = [
  'Monday',
  'Tuesday',
  'Thursday',
  'Friday',
  'Saturday',
  'Sunday',
  'tomorrow',
];
const TIMES: Words = ['9:15', '11:00', '12:30', '17:45', '18:30', '19:00', '20:15'];
const PLACES: Words = [
  'Alfama',
  'Café Luz',
  'the harbour',
  'Sintra',
  'the old cinema',
  'Kino',
  'Graça',
  'the market hall',
];
const DISHES: Words = [
  'bacalhau',
  'the lentil stew',
  'pad thai',
  'your lasagne',
  'jollof rice',
  'kardemummabullar',
];

interface Line {
  text: string;
  /** Which of the two people of a dialogue speaks. */
  speaker: 0 | 1;
  startsDialogue: boolean;
}

/** Creates `count` lines of chat. A dialogue repeats only after all the others were used. */
export function createChat(random: Random, count: number): Line[] {
  const lines: Line[] = [];
  let deck: (readonly string[])[] = [];
  while (lines.length < count) {
    if (deck.length === 0) deck = random.shuffle(DIALOGUES);
    const words = {
      day: random.pick(DAYS),
      time: random.pick(TIMES),
      place: random.pick(PLACES),
      dish: random.pick(DISHES),
    };
    for (const [index, line] of (deck.pop() ?? []).entries()) {
      const text = line.replaceAll(
        /\{(day|time|place|dish)\}/g,
        (_placeholder, name: keyof typeof words) => words[name],
      );
      lines.push({ text, speaker: index % 2 === 0 ? 0 : 1, startsDialogue: index === 0 });
    }
  }
  return lines.slice(0, count);
}
