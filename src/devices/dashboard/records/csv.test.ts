import { expect, it } from 'vitest';
import { csvOf } from './csv.part.ts';

const record = {
  id: '1',
  at: '2026-11-21T12:00:00.000Z',
  kind: 'door',
  text: '',
  device: 'PC',
  device_id: 'a',
  tags: ['b', 'c'],
};

it.each([
  ['plain text', 'It runs.', '"It runs."'],
  ['quotes and separators', 'a "b", c;\nd', '"a ""b"", c;\nd"'],
  ['a formula', '=HYPERLINK("http://evil")', '"\'=HYPERLINK(""http://evil"")"'],
  ['a formula behind a space', ' \u00a0+1', '"\' \u00a0+1"'],
  ['a minus', '-1', '"\'-1"'],
  ['an at sign', '@SUM(A1)', '"\'@SUM(A1)"'],
  ['a tab', '\t=1', '"\'\t=1"'],
  ['a carriage return', '\rx', '"\'\rx"'],
  ['a formula further inside', 'a=1', '"a=1"'],
])('the CSV file of records neutralizes %s', (_what, text, written) => {
  expect(csvOf({ ...record, text })).toBe(`"2026-11-21T12:00:00.000Z","PC","door",${written},"a","1","b, c"\r\n`);
});
