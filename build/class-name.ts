import { createHash } from 'node:crypto';
import { relative } from 'node:path';

/**
 * The name of a CSS module's class in the page: its own name, and four characters that are the same for the whole file.
 * Vite's default also appends the line, which differs for each class and does not compress.
 */
export const className = (name: string, file: string): string =>
  `${name}_${createHash('sha256').update(relative(process.cwd(), file)).digest('hex').slice(0, 4)}`;
