import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { confirmationWays } from '../src/contract/call-ways.ts';
import { endReasons, failures, fieldCodes } from '../src/contract/failures.ts';
import { languages } from '../src/contract/languages.ts';
import { allScopes } from '../src/contract/openid-scopes.ts';
import { secondStepWays } from '../src/contract/sign-in/sign-in-methods.ts';
import { eventTypes } from '../src/contract/webhook-events.ts';
import { alarmKinds } from '../src/devices/contract/alarm-kinds.ts';
import { recordKinds } from '../src/devices/contract/record-kinds.ts';
import { claimNames } from '../src/journeys/openid/provider/claims.ts';
import { noticeNames } from '../src/outbox/notices.ts';
import { spokenLanguages } from '../src/phone-calls/providers/twilio.ts';
import { callProviderNames } from '../src/phone-calls/providers.ts';

const read = (document: string) => readFileSync(document, 'utf8');

/** The line of a table that begins with this cell. */
const rowOf = (document: string, cell: string): string =>
  read(document)
    .split('\n')
    .find((line) => line.startsWith(`| \`${cell}\` `)) ?? '';

test.each([
  ['docs/agents.md', 'kinds of records', read('docs/agents.md'), recordKinds],
  ['docs/integrate.md', 'webhook events', read('docs/integrate.md'), eventTypes],
  ['docs/integrate.md', 'alarms', rowOf('docs/integrate.md', 'computer.alarm'), alarmKinds],
  ['docs/api.md', 'codes', read('docs/api.md'), [...Object.keys(failures), ...fieldCodes, ...endReasons]],
  ['docs/calls.md', 'call providers', read('docs/calls.md'), callProviderNames],
  ['docs/calls.md', 'confirmation ways', read('docs/calls.md'), confirmationWays],
  ['docs/mail.md', 'emails', read('docs/mail.md'), noticeNames],
  ['docs/openid.md', 'scopes and claims', read('docs/openid.md'), [...allScopes, ...claimNames]],
  ['docs/monitor.md', 'second factors', rowOf('docs/monitor.md', 'vestibule_second_steps_total'), secondStepWays],
])('%s lists all %s', (_document, _what, text, names) => {
  expect(names.filter((name) => !text.includes(`\`${name}\``))).toEqual([]);
});

test('the documents count the languages correctly', () => {
  const prose = [
    'README.md',
    'CONTRIBUTING.md',
    'STYLE.md',
    'docs/calls.md',
    'docs/development.md',
    'docs/house.md',
    'docs/mail.md',
  ];
  const counts = prose.flatMap((file) =>
    [...read(file).matchAll(/\b(\d+)\s+(?:languages|catalogs)\b/g)].map(([, n]) => Number(n)),
  );
  expect(new Set(counts)).toEqual(new Set([languages.length]));
  expect(read('docs/calls.md')).toContain(`in ${spokenLanguages.length} of the ${languages.length} languages`);
});
