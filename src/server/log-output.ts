import pino from 'pino';

/** Bytes of lines that wait for room on a full disk; further ones are dropped. */
const maxWaiting = 1024 * 1024;

/**
 * Standard output, for every log of this process. A full disk must not end the service, as an unhandled error of pino would;
 * lines wait for room.
 */
export const logOutput = openLogOutput();

function openLogOutput(): pino.DestinationStream {
  const output = pino.destination({ dest: process.stdout.fd || 1, sync: false, maxLength: maxWaiting });
  const flush = output.flushSync.bind(output);
  let isFailing = false;
  output.on('error', () => {
    isFailing = true;
  });
  output.on('write', () => {
    isFailing = false;
  });
  // At the exit of the process, it would try again forever.
  output.flushSync = () => {
    if (!isFailing) flush();
  };
  return output;
}

/** Writes a text for people to standard output, if it can be written. */
export function print(text: string): void {
  try {
    process.stdout.on('error', () => undefined).write(text);
  } catch {
    // A full disk.
  }
}
