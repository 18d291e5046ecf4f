/** A CPU profile of the gateway under one workload, and where its time goes. */
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openSession } from './session.ts';
import { gateway } from './targets.ts';
import type { Workload } from './workloads.ts';

/** Often enough for functions of a few microseconds. Unit: microseconds. */
const SAMPLING_US = 200;
const WARM_UP = { kind: 'closed', maxOperations: 5000, maxMs: 5000 } as const;
const PROFILED = {
  kind: 'closed',
  maxOperations: Number.MAX_SAFE_INTEGER,
  maxMs: 6000,
} as const;
const TOP = 20;

/** The parts of V8's format that are read. Times are in microseconds. */
export interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number;
    readonly callFrame: {
      readonly functionName: string;
      readonly url: string;
      readonly lineNumber: number;
    };
  }[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

/** Starts the gateway of a checkout under a workload. Returns what its profile says, and the path of the profile. */
export async function profile(
  root: string | undefined,
  { name, title, operations }: Workload,
): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), `profile-${name}-`));
  const nodeOptions = [
    '--cpu-prof',
    `--cpu-prof-dir=${folder}`,
    `--cpu-prof-interval=${SAMPLING_US}`,
  ];
  await using session = await openSession();
  const subject = await session.start(gateway(root, root, { nodeOptions }));
  await session.run(subject, operations, WARM_UP);
  const measured = await session.run(subject, operations, PROFILED);
  await subject.running.stop('SIGTERM');
  const file = join(folder, readdirSync(folder)[0] ?? '');
  const recorded: CpuProfile = JSON.parse(readFileSync(file, 'utf8'));
  return `${name}, ${title}: ${measured.cpuMs.toFixed(3)} ms of CPU for one operation
${describe(recorded)}
The profile is in ${file}; Chrome's DevTools and editors open it.`;
}

/** V8's names for time in which nothing runs. */
const IDLE = new Set(['(idle)', '(root)']);

/** The folder of src/ or dist/, the package, or the part of Node that a function belongs to. */
export function placeOf(name: string, url: string): string {
  if (name === '(garbage collector)') return 'garbage collector';
  if (name === '(program)') return 'system calls';
  if (url === '') return 'JavaScript built-ins';
  if (url.startsWith('node:')) return 'Node';
  const packages = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1];
  if (packages !== undefined) return packages;
  const folder = /.*\/(?:src|dist)\/([^/]+)\//.exec(url)?.[1];
  return folder === undefined ? 'top of src/' : `src/${folder}`;
}

/** The places, and the top functions, by self time on the main thread, from its start on. */
export function describe({ nodes, samples, timeDeltas }: CpuProfile): string {
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
  const places = new Map<string, number>();
  const functions = new Map<string, number>();
  const add = (times: Map<string, number>, key: string, us: number) =>
    times.set(key, (times.get(key) ?? 0) + us);
  let busy = 0;
  for (const [index, id] of samples.entries()) {
    const { functionName = '(root)', url = '', lineNumber = 0 } = frames.get(id) ?? {};
    if (IDLE.has(functionName)) continue;
    // A sample's delta is the time since the sample before: that function ran until the next sample.
    const us = timeDeltas[index + 1] ?? 0;
    const file = url === '' ? '' : ` ${url.replace(/^.*\//, '')}:${lineNumber + 1}`;
    busy += us;
    add(places, placeOf(functionName, url), us);
    add(functions, `${functionName || '(anonymous)'}${file}`, us);
  }
  const list = (times: Map<string, number>) =>
    [...times]
      .sort(([, a], [, b]) => b - a)
      .slice(0, TOP)
      .map(([key, us]) => `  ${((us / busy) * 100).toFixed(1).padStart(5)} %  ${key}`)
      .join('\n');
  return `
By folder and package, share of the main thread's time
${list(places)}

Top ${TOP} functions
${list(functions)}
`;
}
