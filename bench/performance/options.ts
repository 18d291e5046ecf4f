import { parseArgs } from 'node:util';
import type { Plan } from './measure.ts';
import { findWorkload, WORKLOADS, type Workload } from './workloads.ts';

export const USAGE = `npm run bench -- [options]     CPU for each operation of this gateway, a hand-written endpoint (the floor), Apollo Server
                               with datasource-rest, and Mercurius with jit. About eight minutes

  --quick                      two minutes: one start, shorter slices, no latency
  --only W1,W4                 only these workloads, of W0 to W5
  --root DIR                   measure the gateway of another checkout; give it twice to compare two
  --alone                      without the peers: only gateways and the floor
  --accept-encoding 'gzip, br' ask for compressed answers, as browsers do
  --profile W1                 write a CPU profile of the gateway under this workload; print its top twenty functions
  --growth                     what grows with operations at once and with lists. About four minutes
  --workers 1,2                operations per second with WORKERS=1 and 2, on all cores: W1 and W4, or those of --only. Two minutes
  --help

Without options, or with --growth or --workers alone, the figures are written into docs/performance.md.`;

export interface Options {
  readonly help: boolean;
  readonly alone: boolean;
  /** Empty: the requests have no such header. */
  readonly acceptEncoding: string;
  readonly workloads: readonly Workload[];
  readonly roots: readonly string[];
  readonly growth: boolean;
  /** The numbers of workers to compare; undefined: none are. */
  readonly workers: readonly number[] | undefined;
  /** Whether the run is whole, so that its figures belong in the docs. */
  readonly isWhole: boolean;
  readonly profile: Workload | undefined;
  readonly plan: Plan;
}

/** Two starts with three rounds each: 2 x 24 x 3 slices of 1.2 s, as many of 0.7 s, and some time to warm up. */
const FULL: Plan = {
  restarts: 2,
  rounds: 3,
  sliceMs: 1200,
  evenMs: 700,
  warmUp: { maxOperations: 5000, maxMs: 7000 },
  latencyMs: 8000,
};
const QUICK: Plan = {
  restarts: 1,
  rounds: 3,
  sliceMs: 700,
  evenMs: 0,
  warmUp: { maxOperations: 5000, maxMs: 2500 },
  latencyMs: 0,
};
/** Its slices are long, because workers get their connections in turns and other programs disturb short ones. */
const WORKERS: Plan = {
  restarts: 1,
  rounds: 6,
  sliceMs: 4000,
  evenMs: 0,
  warmUp: { maxOperations: 10_000, maxMs: 10_000 },
  latencyMs: 0,
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
      'accept-encoding': { type: 'string', default: '' },
      profile: { type: 'string' },
      growth: { type: 'boolean', default: false },
      workers: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  const { only, profile, quick, workers } = values;
  const usual = workers === undefined ? WORKLOADS : ['W1', 'W4'].map(findWorkload);
  return {
    help: values.help,
    alone: values.alone,
    acceptEncoding: values['accept-encoding'],
    growth: values.growth,
    workers: workers?.split(',').map(toNumber),
    isWhole:
      args.every((arg) => arg === '--growth') ||
      args.join(' ') === `--workers ${workers}`,
    workloads: only?.split(',').map(findWorkload) ?? usual,
    roots: values.root,
    profile: profile === undefined ? undefined : findWorkload(profile),
    plan: workers === undefined ? (quick ? QUICK : FULL) : WORKERS,
  };
}

function toNumber(text: string): number {
  if (!/^\d+$/.test(text)) throw new Error(`"${text}" is no number`);
  return Number(text);
}
