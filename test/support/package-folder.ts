import { copyFile, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

/** Makes a folder in which `npm start` works as in the repository, but which may have a file .env of its own. */
export async function linkPackage() {
  const path = await mkdtemp(join(tmpdir(), 'messaging-graphql-'));
  await copyFile('package.json', join(path, 'package.json'));
  for (const name of ['bin', 'node_modules']) {
    await symlink(resolve(name), join(path, name));
  }
  return { path, [Symbol.asyncDispose]: () => rm(path, { recursive: true }) };
}
