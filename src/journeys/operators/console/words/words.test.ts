import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { alarmKinds } from '../../../../devices/contract/alarm-kinds.ts';
import { readCatalog } from '../../../../messages/catalog.ts';
import { noticeNames } from '../../../../outbox/notices.ts';
import '../../../../server/wings.ts';
import { actionWords, alarmWords, noticeSubjects } from './codes.part.ts';

test('every email and every alarm of the timeline has a text', () => {
  expect(Object.keys(noticeSubjects).sort()).toEqual([...noticeNames].sort());
  const kinds = ['computer_added', 'computer_removed', ...alarmKinds, 'alarm_test'];
  expect(Object.keys(alarmWords).sort()).toEqual(kinds.sort());
});

test('no text of the timeline addresses the person whom it is about', () => {
  const { entries } = readCatalog(readFileSync(new URL('../../../../messages/en.po', import.meta.url), 'utf8'));
  const ids: readonly string[] = Object.values({ ...actionWords, ...alarmWords });
  const texts = entries.filter(({ id }) => id.startsWith('account.did_') || ids.includes(id));
  expect(texts.length).toBeGreaterThan(80);
  expect(texts.filter(({ text }) => /\byou/i.test(text))).toEqual([]);
});
