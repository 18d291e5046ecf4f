/** A CPU profile of a target under one workload, through Node's inspector, and where its time goes. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { connectInspector, WITH_INSPECTOR } from './inspector.ts';
import { type CpuProfile, rooms, selfTimes } from './rooms.ts';
import { openSession } from './session.ts';
import type { Target } from './targets.ts';
import type { Workload } from './workloads.ts';

const WARM_UP = { kind: 'closed', maxOperations: 5000, maxMs: 8000 } as const;
const PROFILED = {
  kind: 'closed',
  maxOperations: Number.MAX_SAFE_INTEGER,
  maxMs: 8000,
} as const;
/** Often enough for functions of a few microseconds. Unit: microseconds. */
const SAMPLING_US = 200;
const TOP = 20;
const FOLDER = fileURLToPath(new URL('../profiles', import.meta.url));

export async function profile(
  target: Target,
  workload: Workload,
  say: (line: string) => void,
): Promise<void> {
  const session = await openSession();
  const subject = await session.start(target, WITH_INSPECTOR);
  const inspector = await connectInspector(subject.running.errors);
  say(`warming up ${target.name} with ${workload.name} ...`);
  await session.run(subject, workload, WARM_UP);
  await inspector.send('Profiler.enable');
  await inspector.send('Profiler.setSamplingInterval', { interval: SAMPLING_US });
  await inspector.send('Profiler.start');
  say('profiling ...');
  const { operations, cpuMs } = await session.run(subject, workload, PROFILED);
  const { profile: recorded } = (await inspector.send('Profiler.stop')) as {
    profile: CpuProfile;
  };
  inspector.close();
  await session.stop();

  mkdirSync(FOLDER, { recursive: true });
  const name = `${workload.name}-${target.name.replace(/\W+/g, '-')}.cpuprofile`;
  const file = resolve(FOLDER, name);
  writeFileSync(file, JSON.stringify(recorded));
  say(
    `\n${target.name}, ${workload.name} (${workload.title}): ${operations} operations, ${cpuMs.toFixed(3)} ms of CPU for each`,
  );
  say(describe(recorded, operations));
  say(`The profile is in ${file}; Chrome's DevTools and editors open it.`);
}

/** The top functions and the rooms, by self time on the main thread. */
export function describe(recorded: CpuProfile, operations: number): string {
  const functions = selfTimes(recorded);
  const busy = functions.reduce((sum, { us }) => sum + us, 0);
  const share = (us: number) => `${((us / busy) * 100).toFixed(1).padStart(5)} %`;
  const each = (us: number) => `${(us / operations).toFixed(1).padStart(7)} µs`;
  const top = functions
    .slice(0, TOP)
    .map(({ us, room, name, place }) =>
      `  ${share(us)} ${each(us)}  ${room.padEnd(20)} ${name} ${place}`.trimEnd(),
    );
  const byRoom = rooms(functions).map(
    ({ us, room }) => `  ${share(us)} ${each(us)}  ${room}`,
  );
  return `
Top ${TOP} functions by self time on the main thread, for each operation
${top.join('\n')}

By room
${byRoom.join('\n')}
`;
}
