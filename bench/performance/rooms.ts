/** The self time of functions in a CPU profile, and of their rooms: folders, packages and parts of Node. */

/** The parts of V8's format that are read. Times are in microseconds. */
export interface CpuProfile {
  readonly nodes: readonly ProfileNode[];
  readonly samples: readonly number[];
  readonly timeDeltas: readonly number[];
}

interface ProfileNode {
  readonly id: number;
  readonly callFrame: {
    readonly functionName: string;
    readonly url: string;
    readonly lineNumber: number;
  };
}

export interface FunctionTime {
  readonly room: string;
  readonly name: string;
  /** File and line; empty for what has none. */
  readonly place: string;
  /** Self time. Unit: microseconds. */
  readonly us: number;
}

/** V8's names for time in which nothing runs. */
const IDLE = new Set(['(idle)', '(root)']);

/** The folder of src/ or dist/, the package, or the part of Node that a function belongs to. */
export function roomOf(name: string, url: string): string {
  if (name === '(garbage collector)') return 'garbage collector';
  if (name === '(program)') return 'system calls';
  if (url === '') return 'JavaScript built-ins';
  if (url.startsWith('node:')) return 'Node';
  const packages = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url)?.[1];
  if (packages !== undefined) return packages;
  const folder = /.*\/(?:src|dist)\/([^/]+)\//.exec(url)?.[1];
  return folder === undefined ? 'top of src/' : `src/${folder}`;
}

/** Self time of each function, the longest first, without idle time. */
export function selfTimes({ nodes, samples, timeDeltas }: CpuProfile): FunctionTime[] {
  const byId = new Map(nodes.map((node) => [node.id, node.callFrame]));
  const times = new Map<string, FunctionTime>();
  for (const [index, id] of samples.entries()) {
    const frame = byId.get(id);
    if (frame === undefined || IDLE.has(frame.functionName)) continue;
    const { functionName, url, lineNumber } = frame;
    const key = `${functionName} ${url}:${lineNumber}`;
    const known = times.get(key) ?? toFunction(functionName, url, lineNumber);
    // A sample's delta is the time since the sample before: that function ran until the next sample.
    times.set(key, { ...known, us: known.us + (timeDeltas[index + 1] ?? 0) });
  }
  return [...times.values()].sort((a, b) => b.us - a.us);
}

const toFunction = (name: string, url: string, line: number): FunctionTime => ({
  room: roomOf(name, url),
  name: name === '' ? '(anonymous)' : name,
  place: url === '' ? '' : `${url.replace(/^.*\//, '')}:${line + 1}`,
  us: 0,
});

/** Self time of each room, the longest first. */
export function rooms(
  functions: readonly FunctionTime[],
): { readonly room: string; readonly us: number }[] {
  const times = new Map<string, number>();
  for (const { room, us } of functions) times.set(room, (times.get(room) ?? 0) + us);
  return [...times].map(([room, us]) => ({ room, us })).sort((a, b) => b.us - a.us);
}
