import { existsSync, readFileSync } from 'node:fs';
import { cp, mkdir } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { run } from '../processes.ts';

/** What a Dockerfile makes, built without a container engine: each stage in a folder of its own, with this Node. */
export interface Image {
  /** The folder of its last stage, which stands for `/`. */
  readonly root: string;
  readonly workdir: string;
  readonly env: Readonly<Record<string, string>>;
  readonly user: string;
  readonly stages: number;
  readonly command: readonly string[];
  readonly healthCheck: readonly string[];
}

interface Stage {
  readonly root: string;
  workdir: string;
  user: string;
  env: Record<string, string>;
}

/** Runs the instructions of a Dockerfile. Knows those that ours has, and throws for every other. */
export async function buildImage(
  file: string,
  { context, folder }: { readonly context: string; readonly folder: string },
): Promise<Image> {
  const stages: Stage[] = [];
  const names = new Map<string, Stage>();
  let command: string[] = [];
  let healthCheck: string[] = [];
  const present = (): Stage => {
    const stage = stages.at(-1);
    if (stage === undefined) throw new Error('no FROM');
    return stage;
  };
  const instructions: Record<string, (rest: string) => Promise<void> | void> = {
    async FROM(rest) {
      const [, name = `${stages.length}`] =
        /^node:\d+-slim(?: AS (\w+))?$/.exec(rest) ?? [];
      const root = join(folder, name);
      await mkdir(root, { recursive: true });
      const stage = { root, workdir: '/', user: 'root', env: {} };
      stages.push(stage);
      names.set(name, stage);
    },
    async WORKDIR(rest) {
      present().workdir = rest;
      await mkdir(join(present().root, rest), { recursive: true });
    },
    async COPY(rest) {
      const [, from, paths = ''] = /^(?:--from=(\w+) )?(.*)$/.exec(rest) ?? [];
      const source = from === undefined ? context : names.get(from)?.root;
      if (source === undefined) throw new Error(`no stage "${from}"`);
      const words = paths.split(' ');
      const target = words.pop() ?? '';
      for (const path of words) {
        if (from === undefined) checkContext(file, path);
        const into = target.endsWith('/') ? join(target, basename(path)) : target;
        const copy = join(present().root, present().workdir, into);
        await cp(join(source, path), copy, { recursive: true, verbatimSymlinks: true });
      }
    },
    async RUN(rest) {
      const { root, workdir, env } = present();
      await run('/bin/sh', ['-ec', rest], {
        cwd: join(root, workdir),
        env: { ...process.env, ...env },
      });
    },
    ENV(rest) {
      for (const word of rest.split(' ')) {
        const [name = '', value = ''] = word.split('=');
        present().env[name] = value;
      }
    },
    USER(rest) {
      present().user = rest;
    },
    EXPOSE() {},
    STOPSIGNAL() {},
    HEALTHCHECK(rest) {
      healthCheck = JSON.parse(rest.slice(rest.indexOf('CMD ') + 4));
    },
    CMD(rest) {
      command = JSON.parse(rest);
    },
  };
  for (const line of readFileSync(file, 'utf8').split('\n')) {
    if (line === '' || line.startsWith('#')) continue;
    const [, name = '', rest = ''] = /^(\w+) (.*)$/.exec(line) ?? [];
    const instruction = instructions[name];
    if (instruction === undefined) throw new Error(`an unknown instruction: ${line}`);
    await instruction(rest);
  }
  return { ...present(), stages: stages.length, command, healthCheck };
}

/** Throws unless the ignore file of the Dockerfile, which leaves out everything else, lets this path pass. */
function checkContext(file: string, path: string): void {
  const ignored = `${file}.dockerignore`;
  if (
    !existsSync(ignored) ||
    readFileSync(ignored, 'utf8').split('\n').includes(`!${path}`)
  )
    return;
  throw new Error(`${ignored} leaves out ${path}`);
}
