const NEWLINE = 10;

/** Passes on what a stream brings, in whole lines; the last one may lack its end. */
export function passLines(
  stream: NodeJS.ReadableStream,
  write: (lines: Buffer) => void,
): void {
  /** The beginning of a line. */
  let begun: Buffer[] = [];
  stream.on('data', (chunk: Buffer) => {
    const end = chunk.lastIndexOf(NEWLINE) + 1;
    if (end > 0) {
      write(Buffer.concat([...begun, chunk.subarray(0, end)]));
      begun = [];
    }
    if (end < chunk.length) begun.push(chunk.subarray(end));
  });
  stream.on('end', () => {
    if (begun.length > 0) write(Buffer.concat(begun));
  });
}
