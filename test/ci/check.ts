/** Runs a check and prints its result. After a failure the process goes on, and exits with 1 at its end. */
export async function check(name: string, run: () => Promise<void>): Promise<void> {
  try {
    await run();
    process.stdout.write(`  ok: ${name}\n`);
  } catch (error) {
    process.exitCode = 1;
    process.stdout.write(`  FAILED: ${name}\n`);
    process.stderr.write(`${error instanceof Error ? error.stack : error}\n`);
  }
}
