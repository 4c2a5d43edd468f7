import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { readEnvironment } from '../server/settings/environment.ts';
import { runCommandLine } from './command-line.ts';

for (const stream of [process.stdout, process.stderr]) stream.on('error', reportUnwritten);

// Only the owner can read new files, as with files that the service creates.
process.umask(0o077);
const { CALLED_FROM, INIT_CWD, npm_lifecycle_event: script } = process.env;
// npm runs its scripts in the project, and names the folder of its caller.
const folder = CALLED_FROM ?? (script === 'vestibule' ? INIT_CWD : undefined) ?? process.cwd();
const { code, out, err } = await runCommandLine(process.argv.slice(2), {
  readEnvironment,
  folder,
  input: readInput(),
  print,
});
// What no command printed by itself, such as help.
if (out !== '') await print(out);
// A text that could not be written has set another one.
process.exitCode ||= code;
process.stderr.write(err);

/** Opens standard input only once a command reads it: open, it would keep the process alive. */
async function* readInput() {
  yield* createInterface({ input: process.stdin });
}

/** Waits until a slow reader has taken the text. False once there is no reader. */
async function print(text: string): Promise<boolean> {
  try {
    if (!process.stdout.write(text)) await Promise.race([once(process.stdout, 'drain'), once(process.stdout, 'close')]);
  } catch {
    // `reportUnwritten` has heard of it.
  }
  return process.stdout.writable;
}

/** A reader such as `head` may close the pipe early, which is not an error. A file on a full disk is one. */
function reportUnwritten({ code, message }: NodeJS.ErrnoException): void {
  if (code === 'EPIPE') return;
  process.exitCode = 1;
  process.stderr.write(`cannot write the output: ${message}\n`);
}
