import { expect, it } from 'vitest';
import { readMailFrom } from './mail.ts';

it.each([
  { setting: 'no-reply@sign-in.example', from: { name: 'Vestibule', address: 'no-reply@sign-in.example' } },
  { setting: 'Front Door <door@sign-in.example>', from: { name: 'Front Door', address: 'door@sign-in.example' } },
  { setting: '"Front, Door" <door@sign-in.example>', from: { name: 'Front, Door', address: 'door@sign-in.example' } },
  { setting: '<door@sign-in.example>', from: { name: 'Vestibule', address: 'door@sign-in.example' } },
])('MAIL_FROM=$setting', ({ setting, from }) => {
  expect(readMailFrom(setting, 'Vestibule')).toEqual(from);
});
