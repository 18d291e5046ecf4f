import { cp, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

const ROOT = join(import.meta.dirname, '../..');
/** Folders that a clone does not have. */
const LEFT_OUT = ['node_modules', 'dist', '.git', 'coverage'];

/** Copies the repository, so that what changes or builds in it disturbs no check beside. The copy uses the packages of the original. */
export async function copyRepository() {
  const path = await mkdtemp(join(tmpdir(), 'messaging-graphql-copy-'));
  const filter = (source: string) =>
    source === ROOT || !LEFT_OUT.includes(basename(source));
  await cp(ROOT, path, { recursive: true, filter });
  await symlink(join(ROOT, 'node_modules'), join(path, 'node_modules'));
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true }) };
}
