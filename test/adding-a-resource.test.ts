import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

/** The files that a patch changes, and the lines that it expects in each, hunk by hunk. */
const changes = readFileSync('test/adding-a-resource/group.patch', 'utf8')
  .split(/^diff --git .*\n/m)
  .flatMap((change) => {
    const [, file] = /^--- a\/(.*)$/m.exec(change) ?? [];
    return file === undefined ? [] : [{ file, hunks: change.split(/^@@.*\n/m).slice(1) }];
  });

test('the worked example of CONTRIBUTING.md still applies: test/processes/ applies it and runs its tests', () => {
  const missing = changes.flatMap(({ file, hunks }) => {
    const text = `\n${readFileSync(file, 'utf8')}`;
    const expected = hunks.map((hunk) =>
      [...hunk.matchAll(/^[ -](.*\n)/gm)].map(([, line]) => line).join(''),
    );
    return expected.filter((lines) => !text.includes(`\n${lines}`));
  });

  expect(changes.length).toBeGreaterThan(8);
  const what =
    'lines that the patch expects: change them there too, or delete it if you add groups themselves';
  expect(missing, what).toEqual([]);
});
