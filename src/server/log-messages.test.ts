import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';

const root = join(import.meta.dirname, '..', '..');
const read = (file: string): string => readFileSync(join(root, file), 'utf8');
const sources = globSync('src/**/*.ts', { cwd: root }).filter(
  (file) => !file.includes('.test.') && !file.includes('testing/'),
);
const documents = ['docs/monitor.md', 'docs/troubleshooting.md'].map(read).join('\n').replaceAll(/\s+/g, ' ');

/** The arguments of a call, up to the parenthesis that closes it. */
function argumentsAt(text: string, start: number): string {
  let depth = 1;
  let end = start;
  for (; depth > 0 && end < text.length; end += 1) {
    if (text[end] === '(') depth += 1;
    if (text[end] === ')') depth -= 1;
  }
  return text.slice(start, end - 1);
}

/** The messages that a file logs as a warning or an error: the last argument of each call, also if it is a constant. */
function messagesIn(text: string): string[] {
  return [...text.matchAll(/\blog\??\.(?:warn|error|fatal)\(/g)].flatMap((call) => {
    const given = argumentsAt(text, call.index + call[0].length)
      .trim()
      .replace(/,$/, '');
    const written = /'((?:[^'\\]|\\.)+)'$/.exec(given)?.[1];
    const named = /(\w+)$/.exec(given)?.[1] ?? '';
    return written ?? new RegExp(`const ${named} =\\s*'([^']+)'`).exec(text)?.[1] ?? [];
  });
}

const messages = [...new Set(sources.flatMap((file) => messagesIn(read(file))))];

test('the search finds the messages of the source', () => {
  expect(messages.length).toBeGreaterThan(20);
  expect(messages).toContain('the database file is damaged: restore a backup');
  expect(messages).toContain('email given up');
});

test.each(messages)('the documents explain the warning or error “%s”', (message) => {
  expect(documents).toContain(message);
});
