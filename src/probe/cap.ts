import type { Asker } from './asker.ts';
import { createTrial, type Trial } from './limit-trial.ts';
import type { Head } from './list.ts';

/** Open point 16, the greatest `limit`. Unit: items. */
export interface CapFinding {
  /** Null: none was seen. */
  readonly max: number | null;
  /** A page so long was given. */
  readonly atLeast: number;
  /** What a `limit` above it gets: a page of `max` items, or a refusal with that status. */
  readonly above: 'capped' | number | null;
}

/** `head` is the longest page that was seen on the way. */
export interface Cap extends CapFinding {
  readonly head: Head;
  /** Whether the bound was seen from both sides. */
  readonly isConfirmed: boolean;
  readonly evidence: string;
}

/** What is asked for in turn; services cap at round numbers below, and no gateway needs pages beyond. */
const STEPS = [200, 1001] as const;
/** Looked at first, with the number above, before halving. */
const USUAL_CAPS: readonly number[] = [100, 50, 1000, 500, 250];

/** Finds the cap on one list; a cap shows only where the list is longer than it, or where more is refused. */
export async function findCap(asker: Asker, first: Head): Promise<Cap> {
  const trial = createTrial(asker, first);
  let good = first.ids.length;
  for (const limit of STEPS) {
    const verdict = await trial.ask(limit);
    switch (verdict.kind) {
      case 'short':
        return confirm(trial, { asked: limit, given: verdict.given });
      case 'refused':
        return halve(trial, { taken: good, refused: limit, status: verdict.status });
      case 'ended':
        return open(
          trial,
          `limit=${limit} is taken, and the longest list seen ends after ${verdict.given}: a cap above that would not show`,
        );
      case 'trouble':
        return open(trial, `limit=${limit} got no answer that can be read`);
      case 'full':
        good = limit;
    }
  }
  return open(trial, `limit=${good} gives ${good} items; more was not asked for`);
}

/** No cap was seen. */
function open({ head }: Trial, evidence: string): Cap {
  const atLeast = head.ids.length;
  return { max: null, atLeast, above: null, head, isConfirmed: false, evidence };
}

/** Fewer than asked for came; asked for one more than that, it should be as many again. */
async function confirm(
  trial: Trial,
  { asked, given }: { asked: number; given: number },
): Promise<Cap> {
  if (given === 0) {
    return open(trial, `limit=${asked} gives nothing, though there is more`);
  }
  const again = await trial.ask(given + 1);
  const isConfirmed = again.kind === 'short' && again.given === given;
  return {
    max: given,
    atLeast: given,
    above: 'capped',
    head: trial.head,
    isConfirmed,
    evidence: `limit=${asked} gives ${given} items and says there are more${isConfirmed ? `; so does limit=${given + 1}` : ''}`,
  };
}

/** Halves what lies between the length of a page that was given and a limit that was refused. */
async function halve(
  trial: Trial,
  { taken, refused, status }: { taken: number; refused: number; status: number },
): Promise<Cap> {
  let [low, high] = [taken, refused];
  let isTaken = false;
  while (high - low > 1) {
    const limit = pickBetween(low, high);
    const verdict = await trial.ask(limit);
    if (verdict.kind === 'short') {
      return confirm(trial, { asked: limit, given: verdict.given });
    }
    if (verdict.kind === 'trouble') {
      return open(trial, `limit=${high} is refused, limit=${limit} is not answered`);
    }
    isTaken ||= verdict.kind !== 'refused';
    if (verdict.kind === 'refused') high = limit;
    else low = limit;
  }
  isTaken ||= low > 0 && (await trial.ask(low)).kind !== 'refused';
  if (!isTaken) return open(trial, `every limit tried is refused with ${status}`);
  const { head } = trial;
  return {
    max: low,
    atLeast: Math.min(low, head.ids.length),
    above: status,
    head,
    isConfirmed: true,
    evidence: `limit=${low} is taken, limit=${high} is refused with ${status}`,
  };
}

/** A usual cap or the number above one, or else the middle. */
function pickBetween(low: number, high: number): number {
  const usual = USUAL_CAPS.flatMap((cap) => (cap === low ? [cap + 1] : [cap]));
  return (
    usual.find((limit) => limit > low && limit < high) ?? Math.floor((low + high) / 2)
  );
}
