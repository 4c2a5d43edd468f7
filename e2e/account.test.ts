import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { suppressAddress } from '../src/store/emails/suppression-list.ts';
import { password, register } from '../src/testing/people.ts';
import { routeNext, signIn, typeNewPassword } from './steps.ts';
import { openTestSite } from './test-site.ts';

const site = await openTestSite({ PHONE_CONFIRMATION: 'optional' });

type Section = '' | 'security/' | 'sessions/' | 'notifications/' | 'privacy/';

/** Goes to a page of the account, and waits for its content. */
async function goTo(page: Page, section: Section): Promise<void> {
  await page.goto(`${site.origin}/account/${section}`);
  await isShown(page);
}

const isShown = (page: Page) => page.getByRole('main').locator('h2, form').first().waitFor();

/** Registers someone and opens a page of their account. */
async function openAccount(section: Section = '', changes: Record<string, unknown> = {}) {
  const person = await register(site.server, changes);
  const page = await site.visit(`/account/${section}`, { session: person.browser });
  await isShown(page);
  return { ...person, page };
}

const focused = (page: Page) => page.evaluate(() => document.activeElement?.textContent);

const button = (page: Page, name: string) => page.getByRole('main').getByRole('button', { name, exact: true });

declare global {
  interface Window {
    /** What moved while the page was loading. */
    shifts: string[];
  }
  interface PerformanceEntry {
    readonly sources?: readonly { node: Node | null; previousRect: DOMRect; currentRect: DOMRect }[];
  }
}

/** Waits until the page has drawn its content and has nothing left to do. */
const settle = (page: Page) =>
  page.evaluate(() => new Promise((done) => requestIdleCallback(() => requestAnimationFrame(done))));

/** Requests a new email on the account page, and follows the emailed link. */
async function openNewAddress({ page, email }: { page: Page; email: string }): Promise<void> {
  await button(page, 'Change email').click();
  await page.locator('input:focus').waitFor();
  await page.keyboard.type(`moved.${email}`);
  await page.getByLabel('Current password').fill(password);
  await page.keyboard.press('Enter');
  await page.getByText('sent a link to the new address.').waitFor();
  const { text: mail } = await site.server.mailTo(`moved.${email}`);
  await page.goto(/\S+\/change-email\/\S+/.exec(mail)?.[0] ?? '');
  await button(page, 'Use this address').click();
}

describe('the header', () => {
  test('signing out in one tab signs out the others immediately and says why, and Back shows nothing', async () => {
    const { page } = await openAccount();
    const other = await page.context().newPage();
    await other.goto(`${site.origin}/account/`);
    await other.getByLabel('Your Name').waitFor();
    await page.getByRole('button', { name: 'Sign out', exact: true }).click();
    await page.waitForURL(`${site.origin}/`);
    await other.waitForURL(`${site.origin}/`);
    await other.getByText('You’re signed out.').waitFor();
    await page.goBack();
    await page.waitForURL(`${site.origin}/`);
    await page.getByRole('button', { name: 'Login' }).waitFor();
    await expect.poll(() => page.getByLabel('Your Name').count()).toBe(0);
  });

  test('the well-known URL for changing a password opens its form', { tags: 'full' }, async () => {
    const { page } = await openAccount();
    await page.goto(`${site.origin}/.well-known/change-password`);
    await page.getByLabel('Current password').waitFor();
    expect(page.url()).toBe(`${site.origin}/account/security/#change-password`);
  });
});

/** Runs in the page. */
function recordShifts(): void {
  window.shifts = [];
  const place = ({ x, y, width, height }: DOMRect) => [x, y, width, height].map(Math.round).join();
  new PerformanceObserver((list) => {
    for (const { sources = [] } of list.getEntries())
      for (const { node, previousRect, currentRect } of sources)
        window.shifts.push(`${node?.nodeName} ${node?.textContent} ${place(previousRect)} → ${place(currentRect)}`);
  }).observe({ type: 'layout-shift', buffered: true });
}

describe('the pages of the account', () => {
  test('forms close again with Cancel, and the focus returns to the button that opened them', async () => {
    const { page, browser } = await openAccount('security/');
    for (const name of ['Change email', 'Change password', 'Change phone number']) {
      await button(page, name).click();
      await expect.poll(() => page.evaluate(() => document.activeElement?.tagName)).toBe('INPUT');
      // A change in another browser renders the page again while the form is open.
      await browser.send('PATCH', '/account', { body: { name: `Anna ${name}` } });
      await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
      await expect.poll(() => page.getByRole('banner').innerText()).toContain(`Anna ${name}`);
      await button(page, 'Cancel').click();
      await expect.poll(() => focused(page)).toBe(name);
      await expect.poll(() => button(page, 'Cancel').count()).toBe(0);
    }
    await goTo(page, 'privacy/');
    await button(page, 'Delete account').click();
    await button(page, 'Cancel').click();
    await expect.poll(() => focused(page)).toBe('Delete account');
  });

  test('are linked with each other, and nothing moves when the account arrives', { tags: 'full' }, async () => {
    const { page } = await openAccount();
    await page.context().addInitScript(recordShifts);
    const menu = page.getByRole('navigation', { name: 'Account', exact: true });
    for (const [name, section] of [
      ['Sign-in and security', 'security/'],
      ['Sessions', 'sessions/'],
      ['Emails and language', 'notifications/'],
      ['Privacy', 'privacy/'],
      ['Profile', ''],
    ] as const) {
      await menu.getByRole('link', { name }).focus();
      await page.keyboard.press('Enter');
      await page.waitForURL(`${site.origin}/account/${section}`);
      await page.locator('h1:focus').waitFor();
      await expect.poll(() => page.locator('h1').textContent()).toBe(name);
      await expect.poll(() => menu.locator('[aria-current="page"]').textContent()).toBe(name);
      await routeNext(page, '**/account', async (route) => {
        await setTimeout(300);
        await route.continue();
      });
      await goTo(page, section);
      await settle(page);
      expect(await page.evaluate(() => window.shifts), name).toEqual([]);
      const bottom = await page.locator('main').evaluate((main) => {
        const [, content] = main.querySelectorAll('nav, h1');
        return (content?.parentElement?.parentElement ?? main).getBoundingClientRect().bottom + scrollY;
      });
      expect(bottom, name).toBeLessThanOrEqual(1000);
    }
  });

  test('send the confirmation link again, which confirms the address in plain sight', { tags: 'full' }, async () => {
    const { page, email } = await openAccount('notifications/');
    await page.getByText('Until then, we won’t email you').waitFor();
    await button(page, 'Send the link again').click();
    await page.getByText('sent a link to').waitFor();
    const { text: mail } = await site.server.mailTo(email, /Confirm your email/);
    await page.goto(/\S+\/account\/security\/\S+/.exec(mail)?.[0] ?? '');
    await page.getByText('Your email address is confirmed.').waitFor();
    await expect.poll(() => button(page, 'Send the link again').count()).toBe(0);
    await expect.poll(() => page.url()).toBe(`${site.origin}/account/security/`);
    for (let time = 0; time < 2; time += 1) await page.reload();
    await button(page, 'Change email').waitFor();
    await expect.poll(() => page.getByText('Your email address is confirmed.').count()).toBe(0);
  });
});

describe('the account', () => {
  test('changes to name, organization and INN survive a reload and persist', async () => {
    const { page, browser } = await openAccount('', { phone: '+7 912 345-67-89' });
    await page.getByLabel('Your Name').fill('Anna Quark');
    await page.getByLabel('Organization').fill('Quarkwerke');
    await page.getByLabel('INN').fill('123');
    // The page also reloads after the end of the session, or for a new build.
    await page.reload();
    await button(page, 'Save').click();
    await page.getByRole('region', { name: 'There is a problem' }).getByRole('link', { name: 'INN' }).click();
    await page.keyboard.type('7707083893');
    await page.getByLabel('INN').fill('7707083893');
    await page.keyboard.press('Enter');
    await page.getByText('Saved.').waitFor();
    const known = { name: 'Anna Quark', organization: 'Quarkwerke', inn: '7707083893' };
    expect((await browser.get('/account')).body).toMatchObject(known);
    await page.reload();
    await expect.poll(() => page.getByLabel('Organization').inputValue()).toBe('Quarkwerke');
  });

  test('a new password needs the current one, and other sessions end', async () => {
    const { page, email } = await openAccount('security/');
    const elsewhere = site.server.client();
    await elsewhere.post('/auth/login', { email, password });
    await button(page, 'Change password').click();
    await page.getByLabel('Current password').fill('not it at all');
    await typeNewPassword(page, 'seven wet umbrellas');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('Incorrect password').waitFor();
    await page.getByLabel('Current password').fill(password);
    await page.keyboard.press('Enter');
    await page.getByText('Your password was changed.').waitFor();
    expect((await elsewhere.post('/auth/refresh')).body).toMatchObject({ reason: 'password_changed' });
    await page.getByText('Password changed', { exact: true }).waitFor();
  });

  test('is deleted with its password, and kept after a sign-in, which the page reports once', async () => {
    const { page, email } = await openAccount('privacy/');
    await button(page, 'Delete account').click();
    await page.getByLabel('Current password').fill(password);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Your account will be deleted' }).waitFor();
    await page.getByRole('link', { name: 'Sign in', exact: true }).click();
    await page.waitForURL(`${site.origin}/`);
    await signIn(page, email);
    await page.waitForURL('**/account/privacy/');
    const kept = page.getByText('You signed in, so your account won’t be deleted.');
    await kept.waitFor();
    await page.getByRole('main').getByRole('link', { name: 'Sign-in and security' }).click();
    await page.getByText(/Account deletion canceled/).waitFor();
    await expect.poll(() => kept.count()).toBe(0);
  });

  test('says nothing about an earlier save beside an error, even once the stored account arrives', {
    tags: 'full',
  }, async () => {
    const { page } = await openAccount('', { phone: '+1 202 555 0148' });
    const typed = Promise.withResolvers<void>();
    await page.route('**/account', async (route) => {
      if (route.request().method() === 'GET') await typed.promise;
      await route.continue();
    });
    await page.getByLabel('Organization').fill('Quarkwerke');
    const reading = page.waitForResponse(
      (response) => new URL(response.url()).pathname === '/account' && response.request().method() === 'GET',
    );
    await page.keyboard.press('Enter');
    await page.getByText('Saved.').waitFor();
    await page.getByLabel('Your Name').fill('');
    await expect.poll(() => page.getByText('Saved.').count()).toBe(0);
    typed.resolve();
    await (await reading).finished();
    await page.keyboard.press('Enter');
    await page.getByRole('region', { name: 'There is a problem' }).waitFor();
    await expect.poll(() => page.getByText('Saved.').count()).toBe(0);
  });

  test('leads to the sign-in page once the user has cleared the data of the site', { tags: 'full' }, async () => {
    const { page } = await openAccount('', { phone: '+1 202 555 0148' });
    await page.getByLabel('Organization').fill('Quarkwerke');
    await page.context().clearCookies();
    await page.evaluate(() => {
      localStorage.clear();
      sessionStorage.clear();
    });
    await page.keyboard.press('Enter');
    await page.waitForURL(`${site.origin}/`);
    await page.getByText('Please sign in to continue').waitFor();
  });

  describe('a change made elsewhere', { tags: 'full' }, () => {
    test('in another tab appears immediately, but never overwrites text being typed', async () => {
      const { page, email } = await openAccount();
      const [other, dashboard, notifications, security, privacy] = (await Promise.all(
        Array.from({ length: 5 }, () => page.context().newPage()),
      )) as [Page, Page, Page, Page, Page];
      await dashboard.goto(`${site.origin}/dashboard/`);
      await dashboard.getByRole('heading', { name: 'Hello, Anna Berg' }).waitFor();
      await goTo(notifications, 'notifications/');
      await goTo(security, 'security/');
      await goTo(privacy, 'privacy/');
      await goTo(other, '');
      await other.getByLabel('Organization').fill('Quark');
      await page.getByLabel('Your Name').fill('Anna Quark');
      await page.getByLabel('Organization').fill('Bergwerke');
      await button(page, 'Save').click();
      await expect.poll(() => other.getByLabel('Your Name').inputValue()).toBe('Anna Quark');
      await expect.poll(() => other.getByLabel('Organization').inputValue()).toBe('Quark');
      await dashboard.getByRole('heading', { name: 'Hello, Anna Quark' }).waitFor();
      await button(other, 'Save').click();
      await expect.poll(() => page.getByLabel('Organization').inputValue()).toBe('Quark');
      await goTo(other, 'notifications/');
      await other.getByLabel('Email me about').uncheck();
      await button(other, 'Save').click();
      await expect.poll(() => notifications.getByLabel('Email me about').isChecked()).toBe(false);
      await goTo(other, 'privacy/');
      await other.getByRole('button', { name: 'Agree' }).click();
      await privacy.getByRole('button', { name: 'Withdraw' }).waitFor();
      await goTo(other, 'security/');
      await button(other, 'Change phone number').click();
      await other.locator('input:focus').waitFor();
      await other.keyboard.type('+1 202 555 0183');
      await button(other, 'Save').click();
      await security.getByText('+1 202 555 0183').waitFor();
      await openNewAddress({ page: other, email });
      await other.getByRole('heading', { name: 'Your email address was changed' }).waitFor();
      await security.getByText(`moved.${email}`).first().waitFor();
      await dashboard.getByText(`moved.${email}`).first().waitFor();
    });
  });

  test('the owner signs out on other devices, on one or all together', { tags: 'full' }, async () => {
    const { page, email } = await openAccount('sessions/');
    const others = [site.server.client(), site.server.client(), site.server.client()];
    for (const other of others) await other.post('/auth/login', { email, password });
    await page.reload();
    // Each is followed by the name of its device; the button in the header is not.
    const ends = page.getByRole('button', { name: /^Sign out (?!on all)/ });
    await expect.poll(() => ends.count()).toBe(3);
    const heading = 'Devices you’re signed in on';
    await ends.first().click();
    await expect.poll(() => ends.count()).toBe(2);
    await expect.poll(() => focused(page)).toBe(heading);
    await page.getByText('Signed out.', { exact: true }).waitFor();
    await button(page, 'Sign out on all other devices').click();
    await expect.poll(() => ends.count()).toBe(0);
    await expect.poll(() => focused(page)).toBe(heading);
    for (const other of others)
      expect((await other.post('/auth/refresh')).body).toMatchObject({ reason: 'ended_elsewhere' });
    await page.getByText('This device').first().waitFor();
  });

  test('the new address confirms a change of email, and the old address undoes it', { tags: 'full' }, async () => {
    const { page, email } = await openAccount('security/');
    const next = `moved.${email}`;
    await button(page, 'Change email').click();
    await page.getByText(`Current address: ${email}`).waitFor();
    await page.locator('input:focus').waitFor();
    await page.keyboard.type(next);
    await page.getByLabel('Current password').fill(password);
    // Another browser ends the session: typed text survives the sign-in, except the password. The page may learn it
    // before it submits the form, and leave; Enter then does nothing.
    const other = site.server.client();
    await other.post('/auth/login', { email, password });
    await other.send('DELETE', '/account/sessions', {});
    await page.keyboard.press('Enter');
    await page.waitForURL(`${site.origin}/`);
    await signIn(page, email);
    await page.waitForURL('**/account/security/');
    await expect.poll(() => page.getByLabel('New email').inputValue()).toBe(next);
    expect(await page.getByLabel('Current password').inputValue()).toBe('');
    await page.getByLabel('Current password').fill(password);
    await page.keyboard.press('Enter');
    await page.getByText('sent a link to the new address.').waitFor();
    const linkTo = async (address: string, subject: RegExp) =>
      /\S+\/change-email\/\S+/.exec((await site.server.mailTo(address, subject)).text)?.[0] ?? '';
    const elsewhere = await site.visit('/');
    await elsewhere.goto(await linkTo(next, /Confirm your new email/));
    await elsewhere.getByText(next).waitFor();
    await elsewhere.getByRole('button', { name: 'Use this address' }).click();
    await elsewhere.getByRole('heading', { name: 'Your email address was changed' }).waitFor();
    await page.reload();
    await page.getByText(next).first().waitFor();
    await elsewhere.goto(await linkTo(email, /was changed/));
    await elsewhere.getByRole('button', { name: 'Undo the change' }).click();
    await elsewhere.getByRole('heading', { name: 'The change was undone' }).waitFor();
    await elsewhere.reload();
    await typeNewPassword(elsewhere, 'stones in the river');
    await elsewhere.keyboard.press('Enter');
    await elsewhere.getByRole('link', { name: 'Sign in' }).first().waitFor();
    const login = (secret: string) => site.server.client().post('/auth/login', { email, password: secret });
    expect([(await login(password)).status, (await login('stones in the river')).status]).toEqual([401, 200]);
  });

  test('a call confirms a new phone number, which saves it', { tags: 'full' }, async () => {
    const { page, browser } = await openAccount('security/');
    await button(page, 'Change phone number').click();
    await page.locator('input:focus').waitFor();
    await page.keyboard.type('+1 202 555 0182');
    await button(page, 'Call me').click();
    await page.getByText('Calling +1').waitFor();
    const call = (await site.server.calls()).find(({ to }) => to.replace(/\D/g, '') === '12025550182');
    // Complete digits are sent without a click.
    await page.getByLabel(/last 4 digits/i).fill(String(call?.from).replace(/\D/g, '').slice(-4));
    await page.getByText('Your phone number was changed.').waitFor();
    await page.getByText('+1 202 555 0182').waitFor();
    expect((await browser.get('/account')).body).toMatchObject({ phone: '+12025550182', phone_confirmed: true });
  });

  test('the owner downloads a copy of their data as a file', { tags: 'full' }, async () => {
    const { page, email } = await openAccount('privacy/');
    const download = page.waitForEvent('download');
    await button(page, 'Download').click();
    const file = await download;
    expect(file.suggestedFilename()).toBe('account-data.json');
    expect(JSON.parse(await text(await file.createReadStream()))).toMatchObject({ format: 1, account: { email } });
  });
});

test('after emails bounced, a notice appears after sign-in and links to the form for a new address', {
  tags: 'full',
}, async () => {
  const { email } = await register(site.server);
  await suppressAddress(site.server.store, { email, reason: 'complaint', told_by: 'ses', detail: '', at: Date.now() });
  const page = await site.visit('/');
  await signIn(page, email);
  const banner = page.getByText(`Our emails aren’t reaching ${email}`);
  await banner.waitFor();
  await page.getByRole('link', { name: 'Enter another address' }).click();
  await page.waitForURL('**/account/security/#change-email');
  await page.getByLabel('Current password').waitFor();
});
