import { readEnvironment } from '../server/settings/environment.ts';
import { runCommandLine } from './command-line.ts';

for (const stream of [process.stdout, process.stderr]) stream.on('error', reportUnwritten);

// Only the owner can read new files, as with files that the service creates.
process.umask(0o077);
const { CALLED_FROM, INIT_CWD, npm_lifecycle_event: script } = process.env;
// npm runs its scripts in the project, and names the folder of its caller.
const folder = CALLED_FROM ?? (script === 'vestibule' ? INIT_CWD : undefined) ?? process.cwd();
const { code, out, err } = await runCommandLine(process.argv.slice(2), { readEnvironment, folder });
process.exitCode = code;
process.stderr.write(err);
try {
  process.stdout.write(out);
} catch (error) {
  reportUnwritten(error as Error);
}

/** A reader such as `head` may close the pipe early, which is not an error. A file on a full disk is one. */
function reportUnwritten({ code, message }: NodeJS.ErrnoException): void {
  if (code === 'EPIPE') return;
  process.exitCode = 1;
  process.stderr.write(`cannot write the output: ${message}\n`);
}
