import { readFileSync } from 'node:fs';
import { SettingsError } from '../contract/settings.ts';

/**
 * The JSON in the file with secrets that a setting names. Throws a `SettingsError`, which quotes nothing of the file, as
 * the message of the parser would.
 */
export function readSettingsFile(setting: string, file: string): unknown {
  let text: string;
  try {
    text = readFileSync(file, 'utf8').replace(/^\uFEFF/, '');
  } catch (cause) {
    throw new SettingsError(`${setting}: ${file} cannot be read (${(cause as NodeJS.ErrnoException).code})`, { cause });
  }
  try {
    return JSON.parse(text);
  } catch (error) {
    const [place] = /line \d+ column \d+/.exec((error as Error).message) ?? [];
    // biome-ignore lint/style/useErrorCause: the parser's message quotes the text
    throw new SettingsError(`${setting}: ${file} is not JSON${place ? ` (${place})` : ''}`);
  }
}
