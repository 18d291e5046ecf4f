import { expect, test } from 'vitest';
import { endOf, replaceSection, startOf } from '../../bench/performance/docs.ts';
import { parseOptions } from '../../bench/performance/options.ts';
import { describe } from '../../bench/performance/profile.ts';
import { roomOf, rooms, selfTimes } from '../../bench/performance/rooms.ts';
import { geometricMean, median, quantile } from '../../bench/performance/statistics.ts';

test('median, quantiles and geometric mean', () => {
  expect(median([3, 1, 2])).toBe(2);
  expect(median([4, 1, 3, 2])).toBe(2.5);
  expect(quantile([1, 2, 3, 4, 5], 1)).toBe(5);
  expect(geometricMean([1, 4, 16])).toBeCloseTo(4);
});

test('a section of a document is replaced, and the rest is kept', () => {
  const before = `# Head\n\n${startOf('one')}\nold\n${endOf('one')}\n\nrest\n`;

  const after = replaceSection(before, 'one', 'new\n');

  expect(after).toBe(`# Head\n\n${startOf('one')}\n\nnew\n\n${endOf('one')}\n\nrest\n`);
  expect(replaceSection(after, 'one', 'new')).toBe(after);
  expect(() => replaceSection(before, 'two', 'new')).toThrow('no section "two"');
});

test.each([
  ['send', 'file:///house/dist/rest/send.js', 'src/rest'],
  ['main', 'file:///house/src/main.ts', 'top of src/'],
  [
    'run',
    'file:///a/node_modules/x/node_modules/@apollo/server/dist/src/run.js',
    '@apollo/server',
  ],
  ['emit', 'node:events', 'Node'],
  ['parse', '', 'JavaScript built-ins'],
  ['(garbage collector)', '', 'garbage collector'],
])('%s of "%s" belongs to %s', (name, url, room) => {
  expect(roomOf(name, url)).toBe(room);
});

const callFrame = (functionName: string, url: string) => ({
  functionName,
  url,
  lineNumber: 9,
});
const PROFILE = {
  nodes: [
    { id: 1, callFrame: callFrame('(idle)', '') },
    { id: 2, callFrame: callFrame('send', 'file:///house/src/rest/send.ts') },
    { id: 3, callFrame: callFrame('get', 'file:///house/src/rest/get.ts') },
    { id: 4, callFrame: callFrame('emit', 'node:events') },
    { id: 5, callFrame: callFrame('send', 'file:///house/src/rest/send.ts') },
  ],
  samples: [2, 1, 3, 5, 4],
  timeDeltas: [0, 100, 900, 50, 200],
};

test('self times add up by function and by room, without idle time', () => {
  const functions = selfTimes(PROFILE);

  expect(functions.map(({ name, place, us }) => [name, place, us])).toEqual([
    ['send', 'send.ts:10', 300],
    ['get', 'get.ts:10', 50],
    ['emit', 'node:events:10', 0],
  ]);
  expect(rooms(functions)[0]).toEqual({ room: 'src/rest', us: 350 });
  expect(describe(PROFILE, 10)).toMatch(/85\.7 % +30\.0 µs +src\/rest +send send\.ts:10/);
});

test('options narrow a run, and only a whole run belongs in the docs', () => {
  const narrow = parseOptions([
    '--quick',
    '--only',
    'W1,W4',
    '--root',
    'a',
    '--root',
    'b',
  ]);

  expect(narrow.workloads.map(({ name }) => name)).toEqual(['W1', 'W4']);
  expect(narrow.roots).toEqual(['a', 'b']);
  expect(narrow.isWhole).toBe(false);
  expect(parseOptions([]).isWhole).toBe(true);
  expect(parseOptions(['--growth']).isWhole).toBe(true);
  expect(parseOptions(['--workers', '1,2'])).toMatchObject({
    workers: [1, 2],
    isWhole: true,
  });
});

test.each([
  [['--only', 'W9'], 'no workload "W9"'],
  [['--workers', '1,x'], '"x" is no number'],
])('%j is refused', (args, message) => {
  expect(() => parseOptions(args)).toThrow(message);
});
