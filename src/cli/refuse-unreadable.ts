import { accessSync, constants, statSync } from 'node:fs';
import { UsageError } from './command.ts';

/** Throws unless this user can read the file. Refuses a named pipe: opening it would wait for its other end. */
export function refuseUnreadable(file: string): void {
  try {
    const isFile = statSync(file).isFile();
    if (!isFile) throw new UsageError(`${file} is not a file`);
    accessSync(file, constants.R_OK);
  } catch (cause) {
    throw cause instanceof UsageError ? cause : new UsageError(`${file} ${whyNot(cause as NodeJS.ErrnoException)}`);
  }
}

function whyNot({ code, message }: NodeJS.ErrnoException): string {
  if (code === 'ENOENT' || code === 'ENOTDIR') return 'does not exist';
  // The usual `vestibule` command runs as the service user, who cannot enter the home folder of root.
  if (code === 'EACCES' || code === 'EPERM') return 'cannot be read: the user who runs this command lacks permission';
  return `cannot be read: ${message}`;
}
