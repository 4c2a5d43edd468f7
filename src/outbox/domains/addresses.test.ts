import { expect, it } from 'vitest';
import { isMailbox, readMailFrom } from './addresses.ts';

it.each([
  { setting: 'no-reply@sign-in.example', from: { name: 'Vestibule', address: 'no-reply@sign-in.example' } },
  { setting: 'root@localhost', from: { name: 'Vestibule', address: 'root@localhost' } },
  { setting: 'Front Door <door@sign-in.example>', from: { name: 'Front Door', address: 'door@sign-in.example' } },
  { setting: 'Haustür Inc. <door@sign-in.example>', from: { name: 'Haustür Inc.', address: 'door@sign-in.example' } },
  { setting: '"Front, Door" <door@sign-in.example>', from: { name: 'Front, Door', address: 'door@sign-in.example' } },
  {
    setting: String.raw`"The \"Door\"" <door@sign-in.example>`,
    from: { name: 'The "Door"', address: 'door@sign-in.example' },
  },
  { setting: '<door@sign-in.example>', from: { name: 'Vestibule', address: 'door@sign-in.example' } },
])('MAIL_FROM=$setting', ({ setting, from }) => expect(readMailFrom(setting, 'Vestibule')).toEqual(from));

it.each([
  '',
  'door',
  'door@',
  '@sign-in.example',
  'door@sign-in..example',
  'door@-sign-in.example',
  'do or@sign-in.example',
  'door@sign-in.example, other@sign-in.example',
  'Door <door@sign-in.example',
  'Door door@sign-in.example>',
  'Front, Door <door@sign-in.example>',
  'Door <a@b@sign-in.example>',
  'Door <door@sign-in.example> more',
  'group: a@sign-in.example, b@sign-in.example;',
])('MAIL_FROM=%s is refused with an error that names the setting', (setting) => {
  expect(() => readMailFrom(setting, 'Vestibule')).toThrow(/^MAIL_FROM: /);
});

it.each([
  ['help@sign-in.example', true],
  ['help@localhost', true],
  ['Help <help@sign-in.example>', false],
  ['help@@sign-in.example', false],
  ['help@sign-in.example\r\nBcc: eve@evil.example', false],
  ['a@b@c.example', false],
  ['hilfe@bücher.example', true],
  ['почта@пример.рф', false],
])('%j is one mailbox: %s', (address, is) => expect(isMailbox(address)).toBe(is));
