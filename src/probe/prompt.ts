import type { Readable, Writable } from 'node:stream';
import { ProbeError } from './errors.ts';

/** Standard input. In raw mode, a terminal does not show what is typed. */
export interface Input extends Readable {
  readonly isTTY?: boolean | undefined;
  setRawMode?(isRaw: boolean): unknown;
}

const ENTER = /[\r\n]/;
const CANCEL = ['\u0003', '\u0004'];
const BACKSPACE = ['\b', '\u007f'];
/** A terminal sends these around pasted text, and for arrow keys. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: an escape sequence begins with one
const ESCAPE_SEQUENCES = /\u001b\[[\d;]*[~A-Za-z]/g;

/** Asks for a secret on a terminal and does not show it. Throws ProbeError if the user cancels. */
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
        if (CANCEL.includes(key)) throw new ProbeError('No token was given.');
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
