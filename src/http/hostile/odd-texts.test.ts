import { describe, expect, test } from 'vitest';
import { usualEngines } from '../../testing/databases/databases.ts';
import { form, register } from '../../testing/people.ts';
import { openTestServer } from '../../testing/test-server.ts';

describe.each(usualEngines)('text that no store can keep, on %s,', async (engine) => {
  const opened = await openTestServer(engine, { PHONE_CONFIRMATION: 'optional' });

  test.each([
    ['DELETE', '/computers/%00', '404 not_found'],
    ['PATCH', '/computers/a%00b', '404 not_found'],
    ['DELETE', '/account/sessions/%00', '404 not_found'],
    ['POST', '/account/notifications/%00/read', '404 not_found'],
    ['GET', '/auth/phone/call/%00', '404 not_found'],
    ['GET', `/auth/phone/call/${'x'.repeat(300)}`, '404 not_found'],
    ['DELETE', `/account/sessions/${'x'.repeat(9000)}`, '404 not_found'],
    ['GET', `/builds/meta/${'x'.repeat(300)}.json`, '404 not_found'],
    ['GET', '/computers/records?computer=%00', '200'],
    ['GET', '/computers/records?kind=%00', '200'],
    ['GET', '/computers/records?before=%00', '422 validation_failed before not_understood'],
    ['GET', '/account/activity?before=%00', '422 validation_failed before not_understood'],
    ['GET', '/additionally/rule?path=%00', '200'],
  ])('never causes a server error: %s %.60s gets %s', async (method, path, expected) => {
    const { browser } = await register(opened);
    const body = method === 'GET' ? undefined : { name: 'Anna' };
    expect(await browser.send(method, path, { body })).toSay(expected);
  });

  test.each(['name', 'email', 'password', 'organization', 'db_type', 'unknown'])(
    'a lone surrogate in %s is refused instead of silently replaced',
    async (field) => {
      const browser = opened.client();
      for (const half of ['\\ud83d', '\\uDE00', 'a\\uD83Dz', '\\ude00\\ud83d']) {
        const body = JSON.stringify(form({ [field]: '?', password_repeat: '?' })).replaceAll('"?"', `"${half}"`);
        expect(await browser.post('/auth/register', body)).toSay('400 malformed_request');
      }
      const whole = JSON.stringify(form({ unknown: '?' })).replace('"?"', '"\\ud83d\\ude00 \\\\ud83d"');
      expect(await browser.post('/auth/register', whole)).toSay('201');
    },
  );

  test('a lone surrogate in a field name or a nested value is also refused', async () => {
    const browser = opened.client();
    for (const body of ['{"\\ud83d":1}', '{"x":[{"y":["\\ud83d"]}]}'])
      expect(await browser.post('/auth/login', body)).toSay('400 malformed_request');
  });
});

test.each([
  ['gzip', '415 unsupported_media_type'],
  ['br', '415 unsupported_media_type'],
  ['identity, gzip', '415 unsupported_media_type'],
  ['identity', '401 session_ended no_session'],
  ['', '401 session_ended no_session'],
])('a body with the Content-Encoding %j gets %s', async (coding, expected) => {
  const browser = (await openTestServer('sqlite')).client();
  expect(await browser.post('/auth/refresh', {}, { 'content-encoding': coding })).toSay(expected);
});
