import { parseArgs } from 'node:util';
import type { Plan } from './measure.ts';
import { findWorkload, WORKLOADS, type Workload } from './workloads.ts';

export const USAGE = `npm run bench -- [options]     CPU for each operation of this gateway, a hand-written endpoint (the floor), Apollo Server
                               with datasource-rest, and Mercurius with jit. About eight minutes. A run without options
                               writes its figures into docs/performance.md; so does --growth

  --quick                      two minutes: one start, fewer and shorter rounds, no latency
  --only W1,W4                 only these workloads, of W0 to W5
  --root DIR                   measure the gateway of another checkout; give it twice to compare two
  --alone                      without the peers: only gateways and the floor
  --accept-encoding 'gzip, br' ask for compressed answers, as browsers do
  --profile W1                 write a CPU profile of the gateway under this workload; print its top twenty functions
  --gc                         only the pauses of the garbage collector, under W1 or the first workload of --only
  --growth                     what grows: operations at once, pages, lists. About five minutes
  --workers 1,2                operations per second with WORKERS=1 and 2, on all cores: W1 and W4, or those of --only. Two minutes.
                               Without --only, writes its figures into docs/performance.md
  --url URL --pid PID          measure a gateway that runs already. Start it with MESSAGING_URL=http://127.0.0.1:PORT
  --service-port PORT          the port of the service that the gateway calls (default: any free one; with --url, 4010)
  --restarts N --rounds N      how often all targets are started anew, and measured after each start
  --help`;

export interface Options {
  readonly help: boolean;
  readonly quick: boolean;
  readonly alone: boolean;
  readonly workloads: readonly Workload[];
  readonly roots: readonly string[];
  readonly gc: boolean;
  readonly growth: boolean;
  /** The numbers of workers to compare; undefined: none are. */
  readonly workers: readonly number[] | undefined;
  /** Whether the run is whole, so that its figures belong in the docs. */
  readonly isWhole: boolean;
  readonly profile: Workload | undefined;
  readonly running: { readonly url: string; readonly pid: number } | undefined;
  readonly servicePort: number | undefined;
  readonly acceptEncoding: string | undefined;
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
const DEFAULT_SERVICE_PORT = 4010;

/** Reads the command line. Throws an Error that says what is wrong with it. */
export function parseOptions(args: readonly string[]): Options {
  const { values } = parseArgs({
    args: [...args],
    options: {
      quick: { type: 'boolean', default: false },
      only: { type: 'string' },
      root: { type: 'string', multiple: true, default: [] },
      alone: { type: 'boolean', default: false },
      profile: { type: 'string' },
      'accept-encoding': { type: 'string' },
      url: { type: 'string' },
      pid: { type: 'string' },
      gc: { type: 'boolean', default: false },
      growth: { type: 'boolean', default: false },
      workers: { type: 'string' },
      'service-port': { type: 'string' },
      restarts: { type: 'string' },
      rounds: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  const { url, pid, quick } = values;
  if ((url === undefined) !== (pid === undefined)) {
    throw new Error('--url and --pid are given together');
  }
  const startsItself =
    values.gc ||
    values.growth ||
    values.workers !== undefined ||
    values.profile !== undefined;
  if (url !== undefined && startsItself) {
    throw new Error(
      '--profile, --gc, --growth and --workers start the gateway themselves: give --root',
    );
  }
  const running =
    url === undefined || pid === undefined ? undefined : { url, pid: toNumber(pid) };
  const plan = quick ? QUICK : FULL;
  return {
    help: values.help,
    quick,
    alone: values.alone || running !== undefined,
    gc: values.gc,
    growth: values.growth,
    workers: values.workers?.split(',').map(toNumber),
    isWhole:
      args.every((arg) => arg === '--growth') ||
      args.join(' ') === `--workers ${values.workers}`,
    workloads: values.only?.split(',').map(findWorkload) ?? WORKLOADS,
    roots: values.root,
    profile: values.profile === undefined ? undefined : findWorkload(values.profile),
    running,
    acceptEncoding: values['accept-encoding'],
    servicePort:
      values['service-port'] === undefined
        ? running && DEFAULT_SERVICE_PORT
        : toNumber(values['service-port']),
    plan: {
      ...plan,
      restarts: values.restarts === undefined ? plan.restarts : toNumber(values.restarts),
      rounds: values.rounds === undefined ? plan.rounds : toNumber(values.rounds),
    },
  };
}

function toNumber(text: string): number {
  if (!/^\d+$/.test(text)) throw new Error(`"${text}" is no number`);
  return Number(text);
}
