import { parseArgs } from 'node:util';
import type { Plan } from './measure.ts';
import { findWorkload, WORKLOADS, type Workload } from './workloads.ts';

export const USAGE = `npm run bench -- [options]     CPU for each operation of this gateway, a hand-written endpoint (the floor), Apollo Server
                               with datasource-rest, and Mercurius with jit, as one table in Markdown. At most 25 minutes

  --quick                      at most six minutes: one start, shorter slices
  --only W1,W4                 only these workloads, of W0 to W5 and mix
  --root DIR                   measure the gateway of another checkout; give it twice to compare two
  --alone                      without the peers: only gateways and the floor
  --accept-encoding 'gzip'     what the half of the requests accepts that asks for compressed answers: by default
                               what browsers send; '': there is no such half
  --shared                     a busy loop shares the core of the measured servers
  --profile DIR                write a CPU profile of each gateway into this folder; Chrome's DevTools and editors open it
  --workers 1,2                operations a second with WORKERS=1 and 2, on all cores: W1 and W4, or those of --only. Two minutes
  --help

The table goes to the output, all else to the error output: npm run -s bench > table.md`;

export interface Options {
  readonly help: boolean;
  readonly alone: boolean;
  /** Whether a busy loop shares the measured core. */
  readonly shared: boolean;
  readonly acceptEncodings: readonly string[];
  readonly workloads: readonly Workload[];
  readonly roots: readonly string[];
  /** The numbers of workers to compare; undefined: none are. */
  readonly workers: readonly number[] | undefined;
  /** Where CPU profiles are written; undefined: there are none. */
  readonly profile: string | undefined;
  readonly plan: Plan;
}

const MINUTE = 60_000;
/** For 4 targets: 6 x 128 slices, and some five minutes to warm up. */
const FULL: Plan = {
  restarts: 2,
  rounds: 3,
  sliceMs: 1200,
  warmUp: { maxOperations: 5000, maxMs: 3000 },
  maxMs: 24 * MINUTE,
  atEqualRates: true,
};
const QUICK: Plan = {
  ...FULL,
  restarts: 1,
  sliceMs: 500,
  warmUp: { maxOperations: 3000, maxMs: 1500 },
  maxMs: 5.5 * MINUTE,
};
/** Its slices are long, because workers get their connections in turns and other programs disturb short ones. */
const WORKERS: Plan = {
  ...FULL,
  restarts: 1,
  rounds: 6,
  sliceMs: 4000,
  atEqualRates: false,
};

/** Reads the command line. Throws an Error that says what is wrong with it. */
export function parseOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: 'boolean', default: false },
      only: { type: 'string' },
      root: { type: 'string', multiple: true, default: [] },
      alone: { type: 'boolean', default: false },
      'accept-encoding': { type: 'string', default: 'gzip, deflate, br' },
      shared: { type: 'boolean', default: false },
      profile: { type: 'string' },
      workers: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  const { only, profile, quick, shared, workers } = values;
  const { 'accept-encoding': acceptEncoding } = values;
  const usual = workers === undefined ? WORKLOADS : ['W1', 'W4'].map(findWorkload);
  return {
    help: values.help,
    alone: values.alone,
    shared,
    acceptEncodings:
      acceptEncoding === '' || workers !== undefined ? [''] : ['', acceptEncoding],
    workers: workers?.split(',').map(toNumber),
    workloads: only?.split(',').map(findWorkload) ?? usual,
    roots: values.root,
    profile,
    plan: workers === undefined ? (quick ? QUICK : FULL) : WORKERS,
  };
}

function toNumber(text: string): number {
  if (!/^\d+$/.test(text)) throw new Error(`"${text}" is no number`);
  return Number(text);
}
