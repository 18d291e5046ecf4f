import type { Readable, Writable } from 'node:stream';
import { ProbeError } from './errors.ts';

/** Standard input; on a terminal it can be told not to echo. */
export interface Input extends Readable {
  readonly isTTY?: boolean | undefined;
  setRawMode?(isRaw: boolean): unknown;
}

const ENTER = /[\r\n]/;
const LEAVE = ['\u0003', '\u0004'];
const BACKSPACE = ['\b', '\u007f'];
/** What a terminal sends around pasted text, and for arrow keys. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: an escape sequence begins with one
const ESCAPE_SEQUENCES = /\u001b\[[\d;]*[~A-Za-z]/g;

/** Asks for a secret on a terminal; nothing of what is typed is shown. Throws ProbeError when the user leaves. */
export async function askSecret(
  question: string,
  { input, output }: { input: Input; output: Writable },
): Promise<string> {
  output.write(question);
  input.setRawMode?.(true);
  let typed = '';
  try {
    for await (const chunk of input.iterator({ destroyOnReturn: false })) {
      for (const key of String(chunk).replace(ESCAPE_SEQUENCES, '')) {
        if (ENTER.test(key)) return typed;
        if (LEAVE.includes(key)) throw new ProbeError('No token was given.');
        typed = BACKSPACE.includes(key) ? typed.slice(0, -1) : typed + key;
      }
    }
    return typed;
  } finally {
    input.setRawMode?.(false);
    input.pause();
    output.write('\n');
  }
}
