import { expect, test } from 'vitest';
import { alarmKinds } from '../../../../devices/contract/alarm-kinds.ts';
import { noticeNames } from '../../../../outbox/notices.ts';
import '../../../../server/wings.ts';
import { alarmWords, noticeSubjects } from './codes.part.ts';

test('every email and every alarm of the timeline has a text', () => {
  expect(Object.keys(noticeSubjects).sort()).toEqual([...noticeNames].sort());
  const kinds = ['computer_added', 'computer_removed', ...alarmKinds, 'alarm_test'];
  expect(Object.keys(alarmWords).sort()).toEqual(kinds.sort());
});
