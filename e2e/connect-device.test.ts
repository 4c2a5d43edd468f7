import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { addTestClient, redirectUri } from '../src/testing/applications/application.ts';
import { register } from '../src/testing/people.ts';
import { buttonOf, routeNext } from './steps.ts';
import { openTestSite } from './test-site.ts';

const site = await openTestSite();
const { entry: television } = await addTestClient(site.server, {
  client_name: 'Television',
  redirect_uris: [],
  public: true,
  device: true,
});

const focusedText = (page: Page) => page.evaluate(() => document.activeElement?.textContent);

/** The code that the television shows. */
async function show(): Promise<string> {
  const response = await fetch(`${site.origin}/oidc/device`, {
    method: 'POST',
    body: new URLSearchParams({ client_id: television.client_id, scope: 'openid profile' }),
  });
  return ((await response.json()) as { user_code: string }).user_code;
}

/** A signed-in user who has entered a code as `typed`. */
async function enter(typed: string) {
  const { email, browser } = await register(site.server);
  const page = await site.visit('/device/', { session: browser });
  await page.getByLabel('Code on the device').fill(typed);
  await page.keyboard.press('Enter');
  return { page, email };
}

const inFullWidth = (text: string) =>
  [...text].map((letter) => String.fromCharCode(letter.charCodeAt(0) + 0xfee0)).join('');

describe('a device', () => {
  test('is connected step by step: each takes the focus and the title, and names the account', async () => {
    const code = await show();
    const { page, email } = await enter(code.toLowerCase().replace('-', ' '));
    await expect.poll(() => focusedText(page)).toBe('Television wants access to your account');
    await expect.poll(() => page.title()).toBe('Television wants access to your account – Vestibule');
    await page.getByText(`shows the code ${code}.`).waitFor();
    await page.getByRole('main').getByText(email, { exact: true }).first().waitFor();
    await buttonOf(page, 'Allow').click();
    await expect.poll(() => focusedText(page)).toBe('The device is connected. Continue there.');
    await page.getByRole('heading', { name: 'Connect a device' }).waitFor();
    await expect.poll(() => page.title()).toBe('Connect a device – Vestibule');
  });

  test('is found by a code in full-width letters', { tags: 'full' }, async () => {
    const code = await show();
    const { page } = await enter(inFullWidth(code));
    await page.getByText(`shows the code ${code}.`).waitFor();
  });

  test.each([
    ['Allow', 'The device is connected.'],
    ['Don’t allow', 'The device wasn’t connected.'],
  ])(
    'gets the decision %s again if the response to the first was lost',
    { tags: 'full' },
    async (decision, outcome) => {
      const { page } = await enter(await show());
      page.removeAllListeners('console');
      await routeNext(page, '**/connect/device/decision', async (route) => {
        await route.fetch();
        await route.abort();
      });
      await buttonOf(page, decision).click();
      await page.getByText('The server can’t be reached.').waitFor();
      await buttonOf(page, decision).click();
      await page.getByText(outcome).waitFor();
    },
  );
});

test('a sign-out for an app keeps the focus, and a reload does not ask again', async () => {
  const { browser } = await register(site.server);
  const page = await site.visit('/sign-out/', { session: browser });
  await buttonOf(page, 'Sign out').click();
  await expect.poll(() => focusedText(page)).toBe('You’re signed out.');
  await page.reload();
  await page.getByText('You’re signed out.').waitFor();
  await expect.poll(() => buttonOf(page, 'Sign out').count()).toBe(0);
});

describe('a decision about an app', { tags: 'full' }, () => {
  /** A signed-in user whom an app asks for access. */
  async function ask() {
    const { entry } = await addTestClient(site.server, { client_name: 'Notes', first_party: false });
    const { browser } = await register(site.server);
    const page = await site.visit('/device/', { session: browser, prepare: (fresh) => fresh.clock.install() });
    const request = new URLSearchParams({
      client_id: entry.client_id,
      redirect_uri: redirectUri,
      response_type: 'code',
      scope: 'openid',
      code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
      code_challenge_method: 'S256',
    });
    await page.goto(`${site.origin}/oidc/auth?${request}`);
    await buttonOf(page, 'Allow').waitFor();
    return page;
  }

  test('without a response can be sent again', async () => {
    const page = await ask();
    await routeNext(page, '**/connect/requests/*', () => Promise.resolve());
    await buttonOf(page, 'Don’t allow').click();
    await page.clock.runFor(11_000);
    await page.getByText('The server hasn’t responded yet.').waitFor();
    const left = page.waitForRequest(/^https:\/\/app\.example\/signed-in\?error=access_denied/);
    await page.route('https://app.example/**', (route) => route.fulfill({ body: '' }));
    await buttonOf(page, 'Try again').click();
    await left;
  });
});
