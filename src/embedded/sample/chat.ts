import type { Random } from './random.ts';
import { EXCHANGES, type Exchange } from './texts.ts';

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

/** A line of a chat; `turn` says which of the two people speaks, `opens` that an exchange begins. */
interface Line {
  text: string;
  turn: 0 | 1;
  opens: boolean;
}

/** Exactly `count` lines of chat; no exchange comes again before all the others were heard. */
export function createChat(random: Random, count: number): Line[] {
  const lines: Line[] = [];
  let deck: Exchange[] = [];
  while (lines.length < count) {
    if (deck.length === 0) deck = random.shuffle(EXCHANGES);
    const words = {
      day: random.pick(DAYS),
      time: random.pick(TIMES),
      place: random.pick(PLACES),
      dish: random.pick(DISHES),
    };
    for (const [index, line] of (deck.pop() ?? []).entries()) {
      const text = line.replaceAll(
        /\{(day|time|place|dish)\}/g,
        (_slot, name: keyof typeof words) => words[name],
      );
      lines.push({ text, turn: index % 2 === 0 ? 0 : 1, opens: index === 0 });
    }
  }
  return lines.slice(0, count);
}
