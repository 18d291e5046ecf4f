import type { Answers } from './answers.ts';

/** The moment the sample data was taken, in seconds: Sunday, 1 March 2026, 09:30 UTC. */
export const SAMPLE_TIME = Date.UTC(2026, 2, 1, 9, 30) / 1000;

/** Timestamp units per second. Open point: timestamp unit. */
export const UNITS_PER_SECOND = {
  seconds: 1,
  milliseconds: 1_000,
  microseconds: 1_000_000,
};

/** Everything the endpoints share, apart from the data of the users. */
export interface ServiceContext {
  answers: Answers;
  /** The current timestamp, in `timestampUnit`. */
  now(): number;
  newId(kind: 'msg' | 'conv'): string;
}

export function createContext(answers: Answers): ServiceContext {
  const scale = UNITS_PER_SECOND[answers.timestampUnit];
  let created = 0;
  return {
    answers,
    // If the machine's clock is wrong, new objects still come after the sample data.
    now: () => Math.floor((Math.max(Date.now(), SAMPLE_TIME * 1000) * scale) / 1000),
    // Sample ids begin with 0, new ones with 1 and a count: they never collide, and sort by age.
    newId: (kind) => {
      created += 1;
      return `${kind}_1${created.toString(16).padStart(9, '0')}`;
    },
  };
}
