/** A CPU profile of a target under one workload, through Node's inspector, and where its time goes. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type CpuProfile, rooms, selfTimes } from './rooms.ts';
import { openSession } from './session.ts';
import type { Table } from './tables.ts';
import type { Target } from './targets.ts';
import type { Workload } from './workloads.ts';

const WARM_UP = { kind: 'closed', maxOperations: 5000, maxMs: 5000 } as const;
const PROFILED = {
  kind: 'closed',
  maxOperations: Number.MAX_SAFE_INTEGER,
  maxMs: 6000,
} as const;
/** Often enough for functions of a few microseconds. Unit: microseconds. */
const SAMPLING_US = 200;
const TOP = 20;
const TOP_ROOMS = 12;
const FOLDER = fileURLToPath(new URL('../profiles', import.meta.url));

export interface Recording {
  readonly workload: Workload;
  readonly recorded: CpuProfile;
  readonly operations: number;
  /** CPU for one operation. Unit: milliseconds. */
  readonly cpuMs: number;
}

export async function record(target: Target, workload: Workload): Promise<Recording> {
  const session = await openSession();
  const subject = await session.start(target, { nodeOptions: ['--inspect=127.0.0.1:0'] });
  const inspector = await connectInspector(subject.running.errors);
  await session.run(subject, workload, WARM_UP);
  await inspector.send('Profiler.enable');
  await inspector.send('Profiler.setSamplingInterval', { interval: SAMPLING_US });
  await inspector.send('Profiler.start');
  const { operations, cpuMs } = await session.run(subject, workload, PROFILED);
  const stopped = await inspector.send('Profiler.stop');
  inspector.close();
  await session.stop();
  const { profile: recorded } = stopped as { profile: CpuProfile };
  return { workload, recorded, operations, cpuMs };
}

/** Connects to the inspector whose address the process printed. */
async function connectInspector(errors: readonly string[]) {
  const address = errors
    .map((line) => /Debugger listening on (ws:\S+)/.exec(line)?.[1])
    .find((found) => found !== undefined);
  if (address === undefined) throw new Error(`no inspector: ${errors.join('\n')}`);
  const socket = new WebSocket(address);
  const waiting = new Map<number, (result: unknown) => void>();
  let last = 0;
  socket.addEventListener('message', ({ data }) => {
    const { id, result } = JSON.parse(data);
    waiting.get(id)?.(result);
    waiting.delete(id);
  });
  await new Promise((opened, failed) => {
    socket.addEventListener('open', opened);
    socket.addEventListener('error', failed);
  });
  return {
    send(method: string, params: object = {}): Promise<unknown> {
      last += 1;
      const { promise, resolve: answered } = Promise.withResolvers<unknown>();
      waiting.set(last, answered);
      socket.send(JSON.stringify({ id: last, method, params }));
      return promise;
    },
    close: () => socket.close(),
  };
}

/** Writes a profile into bench/profiles/, and prints what it says. */
export async function profile(
  target: Target,
  workload: Workload,
  say: (line: string) => void,
): Promise<void> {
  say(`profiling ${target.name}, ${workload.name} ...`);
  const { recorded, operations, cpuMs } = await record(target, workload);
  mkdirSync(FOLDER, { recursive: true });
  const name = `${workload.name}-${target.name.replace(/\W+/g, '-')}.cpuprofile`;
  const file = resolve(FOLDER, name);
  writeFileSync(file, JSON.stringify(recorded));
  say(`
${target.name}, ${workload.name} (${workload.title}): ${operations} operations, ${cpuMs.toFixed(3)} ms of CPU for each
${describe(recorded, operations)}
The profile is in ${file}; Chrome's DevTools and editors open it.`);
}

/** The folders and packages that take most, as shares of the main thread's time. */
export function toRoomTable(recordings: readonly Recording[]): Table {
  const shares = recordings.map(({ recorded }) => {
    const byRoom = rooms(selfTimes(recorded));
    const busy = byRoom.reduce((sum, { us }) => sum + us, 0);
    return new Map(byRoom.map(({ room, us }) => [room, us / busy]));
  });
  const sum = (room: string) =>
    shares.reduce((total, share) => total + (share.get(room) ?? 0), 0);
  const top = [...new Set(shares.flatMap((share) => [...share.keys()]))]
    .sort((a, b) => sum(b) - sum(a))
    .slice(0, TOP_ROOMS);
  const percent = (share: number) => `${(share * 100).toFixed(1)} %`;
  return {
    title: 'Self time by folder and package, share of the main thread',
    rows: [
      ['', ...recordings.map(({ workload }) => workload.name)],
      ...top.map((room) => [
        room,
        ...shares.map((share) => percent(share.get(room) ?? 0)),
      ]),
    ],
  };
}

/** The top functions, and all folders and packages, by self time on the main thread. */
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

By folder and package
${byRoom.join('\n')}
`;
}
