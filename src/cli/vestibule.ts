import { readEnvironment } from '../server/settings/environment.ts';
import { runCommandLine } from './command-line.ts';

// A reader such as `head` may close the pipe early; that is not an error.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
});

// Only the owner can read new files, as with files that the service creates.
process.umask(0o077);
const folder = process.env.CALLED_FROM ?? process.cwd();
const { code, out, err } = await runCommandLine(process.argv.slice(2), { readEnvironment, folder });
process.stderr.write(err);
process.stdout.write(out);
process.exitCode = code;
