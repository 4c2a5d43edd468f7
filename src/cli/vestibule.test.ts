import { tmpdir } from 'node:os';
import { expect, test } from 'vitest';
import { runCommandProcess } from '../testing/command-line.ts';

test.each([
  ['--help', /^Usage: vestibule COMMAND/],
  ['--version', /^Vestibule \d/],
])('the command prints its %s', async (word, text) => {
  const printed = { code: 0, out: expect.stringMatching(text), err: '' };
  expect(await runCommandProcess([word], { folder: tmpdir(), settings: {} })).toMatchObject(printed);
});
