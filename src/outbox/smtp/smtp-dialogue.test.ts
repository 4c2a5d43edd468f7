import { expect, it } from 'vitest';
import { readSmtpUrl } from './smtp-dialogue.ts';

it.each(
  Object.entries({
    'smtp://mail.example': { host: 'mail.example', port: 587, secure: false, requireTLS: true, verified: true },
    'smtps://mail.example': { host: 'mail.example', port: 465, secure: true, requireTLS: false, verified: true },
    'smtp://relay.internal:25?tls=optional': {
      host: 'relay.internal',
      port: 25,
      secure: false,
      requireTLS: false,
      verified: true,
    },
    'smtp://localhost:1025': { host: 'localhost', port: 1025, secure: false, requireTLS: false, verified: false },
    'smtp://[::1]:25': { host: '::1', port: 25, secure: false, requireTLS: false, verified: false },
    'smtp://127.0.0.1:25?tls=required': {
      host: '127.0.0.1',
      port: 25,
      secure: false,
      requireTLS: true,
      verified: true,
    },
    'smtp://me%40isp:p%3Ass@mail.example': {
      ...{ host: 'mail.example', port: 587, secure: false, requireTLS: true, verified: true },
      auth: { user: 'me@isp', pass: 'p:ss' },
    },
  }),
)('%s', (url, server) => expect(readSmtpUrl(url)).toEqual(server));

it.each([
  '',
  'mail.example',
  'http://mail.example',
  'smtp://',
  'smtp://mail.example?tls=no',
  'smtp://mail.example?rejectUnauthorized=false',
])('"%s" is refused with an error that names the setting', (url) => {
  expect(() => readSmtpUrl(url)).toThrow(/^SMTP_URL: /);
});
