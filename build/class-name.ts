import { createHash } from 'node:crypto';
import { relative } from 'node:path';

/**
 * What a class of a CSS module is called in the page: its own name, and four characters that are the same for the whole
 * file. Vite's own names end with the line, too, which differs with each class and does not compress.
 */
export const className = (name: string, file: string): string =>
  `${name}_${createHash('sha256').update(relative(process.cwd(), file)).digest('hex').slice(0, 4)}`;
