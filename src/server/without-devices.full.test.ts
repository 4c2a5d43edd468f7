import { expect, test } from 'vitest';
import { register, welcomeLink } from '../testing/people.ts';
import { openTestServer } from '../testing/test-server.ts';

// It renders every page anew.
test('DEVICES=off leaves accounts: no page, request or link for computers', async () => {
  const server = await openTestServer('sqlite', { DEVICES: 'off' }, { ownPages: true });
  const { browser, email } = await register(server, { locale: 'de' });
  expect((await browser.get('/additionally/way')).body).toEqual({ last_place: '/de/account/' });
  for (const path of ['/dashboard/', '/de/devices/', '/records/', '/computers/add/', '/alarms/', '/alarms/rules/'])
    expect((await browser.get(path)).status, path).toBe(404);
  expect(await browser.post('/computers/enrolments', {})).toSay('404 not_found');
  expect(await browser.put('/account/alarms/rules', {})).toSay('404 not_found');
  expect((await browser.get('/openapi.json')).body.paths).not.toHaveProperty('/computers');
  const { body } = await browser.get('/de/account/');
  expect(body).toContain('href="/de/account/security/"');
  expect(body).not.toMatch(/href="[^"]*\/(?:dashboard|records|alarms|add)\/"/);
  expect(body).not.toContain('href="/de/devices/"');
  expect(await welcomeLink(server, email)).not.toBe('');
  expect((await browser.get('/account/export')).status).toBe(200);
});
