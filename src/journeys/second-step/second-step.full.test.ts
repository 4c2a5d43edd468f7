import { describe, expect, test } from 'vitest';
import { minutes } from '../../contract/units.ts';
import { addAuthenticator } from '../../testing/authenticator.ts';
import { type Client, statusAndCode } from '../../testing/client.ts';
import { usualEngines } from '../../testing/databases/databases.ts';
import { password, register } from '../../testing/people.ts';
import { openTestServer, type TestServer } from '../../testing/test-server.ts';

/** A person with an authenticator; the browser that registered is signed in. */
async function equip(server: TestServer) {
  const person = await register(server);
  return { ...person, app: await addAuthenticator(server, person.browser) };
}

/** A browser whose first factor was right. */
async function begin(server: TestServer, email: string, sent: object = {}): Promise<Client> {
  const browser = server.client();
  const response = await browser.post('/auth/login', { email, password, ...sent });
  expect(statusAndCode(response)).toBe('401 second_step_required');
  return browser;
}

const complete = async (browser: Client, body: object) => statusAndCode(await browser.post('/auth/second-step', body));

describe.each(usualEngines)('the second step of a sign-in, on %s,', (engine) => {
  test('limits guesses of one source over many accounts, but a known device keeps a few of its own', async () => {
    const server = await openTestServer(engine);
    const outcomes: string[] = [];
    const { email: known, app, browser: device } = await equip(server);
    await device.post('/auth/logout');
    for (let account = 0; account < 6; account += 1) {
      const { email } = await equip(server);
      const browser = await begin(server, email);
      for (let time = 0; time < 4; time += 1) outcomes.push(await complete(browser, { code: '000000' }));
    }
    expect(outcomes.slice(0, 20)).toEqual(Array(20).fill('422 code_incorrect'));
    expect(outcomes.slice(20)).toEqual(Array(4).fill('429 too_many_requests'));
    await device.post('/auth/login', { email: known, password });
    for (let time = 0; time < 3; time += 1)
      expect(await complete(device, { code: '000000' })).toBe('422 code_incorrect');
    expect(await complete(device, { code: app.nextCode() })).toBe('429 too_many_requests');
    server.forward(minutes(16));
    expect(await complete(await begin(server, known), { code: app.nextCode() })).toBe('200');
  });
});
