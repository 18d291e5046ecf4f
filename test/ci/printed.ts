import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse, print, separateOperations } from 'graphql';

const ROOT = join(import.meta.dirname, '../..');

/** The first code block of a page, in a language, that holds a text. */
export async function blockOf(
  path: string,
  language: string,
  text: string,
): Promise<string> {
  const page = await readFile(join(ROOT, path), 'utf8');
  const blocks = page.matchAll(/^```(\w+)\n(.*?)^```$/gms);
  for (const [, name, block = ''] of blocks) {
    if (name === language && block.includes(text)) return block;
  }
  throw new Error(`${path} has no ${language} with "${text}"`);
}

/** The queries of examples/*.graphql that need no variables besides a conversation. */
export async function readQueries(): Promise<string[]> {
  const folder = join(ROOT, 'examples');
  const files = (await readdir(folder)).filter((file) => file.endsWith('.graphql'));
  const texts = await Promise.all(
    files.map((file) => readFile(join(folder, file), 'utf8')),
  );
  return texts
    .flatMap((text) => Object.values(separateOperations(parse(text))))
    .map(print)
    .filter((text) => !/^mutation\b|\$(?!conversationId\b)\w+: [\w[\]]+!/.test(text));
}
