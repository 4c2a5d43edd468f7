import { text } from 'node:stream/consumers';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { suppressAddress } from '../src/store/emails/suppression-list.ts';
import type { Client } from '../src/testing/client.ts';
import { password, register } from '../src/testing/people.ts';
import { openTestSite } from './test-site.ts';

const door = await openTestSite({ PHONE_CONFIRMATION: 'optional' });

/** The cookies of a test client, to give a real browser its session. */
const cookiesOf = ({ cookies }: Client) => [...cookies].map(([name, value]) => ({ name, value, url: door.origin }));

/** Registers someone and opens their account page. */
async function openAccount(changes: Record<string, unknown> = {}) {
  const person = await register(door.server, changes);
  const page = await door.visit('/');
  await page.context().addCookies(cookiesOf(person.browser));
  await page.goto(`${door.origin}/account/`);
  await page.getByRole('heading', { name: 'Your details' }).waitFor();
  return { ...person, page };
}

async function signIn(page: Page, email: string, word = password): Promise<void> {
  await page.getByLabel('Email', { exact: true }).fill(email);
  await page.getByLabel('Password', { exact: true }).fill(word);
  await page.getByRole('button', { name: 'Login' }).click();
}

/** Requests a new email on the account page, and follows the emailed link. */
async function openNewAddress({ page, email }: { page: Page; email: string }): Promise<void> {
  await button(page, 'Change email').click();
  await page.keyboard.type(`moved.${email}`);
  await page.getByLabel('Current password').fill(password);
  await page.keyboard.press('Enter');
  await page.getByText('We have sent a link to the new address.').waitFor();
  const { text: mail } = await door.server.mailTo(`moved.${email}`);
  await page.goto(/\S+\/change-email\/\S+/.exec(mail)?.[0] ?? '');
  await button(page, 'Use this address').click();
}

const button = (page: Page, name: string) => page.getByRole('main').getByRole('button', { name, exact: true });

test('after emails bounced, a notice appears after sign-in and links to the form for a new address', async () => {
  const { email } = await register(door.server);
  await suppressAddress(door.server.store, { email, reason: 'complaint', told_by: 'ses', detail: '', at: Date.now() });
  const page = await door.visit('/');
  await signIn(page, email);
  const told = page.getByText(`Our emails do not reach ${email}`);
  await told.waitFor();
  await page.getByRole('link', { name: 'Enter another address' }).click();
  await page.waitForURL('**/account/#change-email');
  await page.getByLabel('Current password').waitFor();
  await page.getByRole('textbox', { name: 'Email' }).fill(email);
  await page.getByLabel('Current password').fill(password);
  await button(page, 'Change email').click();
  await page.getByText('We have sent a link to the new address.').waitFor();
  const { text: mail } = await door.server.mailTo(email, /Confirm/);
  await page.goto(/https?:\/\/\S+\/change-email\/\S+/.exec(mail)?.[0] ?? '');
  await button(page, 'Use this address').click();
  await page.getByText('changed', { exact: false }).first().waitFor();
  await page.goto(`${door.origin}/dashboard/`);
  await page.getByRole('heading', { name: 'Hello' }).waitFor();
  expect(await told.count()).toBe(0);
});

describe('the header', () => {
  test('leads to every page with the keyboard alone', async () => {
    const { page } = await openAccount();
    for (const [name, path] of [
      ['Dashboard', '/dashboard/'],
      ['Add computers', '/computers/add/'],
      ['Account', '/account/'],
    ] as const) {
      await page.getByRole('navigation').getByRole('link', { name }).focus();
      await page.keyboard.press('Enter');
      await page.waitForURL(`${door.origin}${path}`);
      // The address changes before the page takes the focus; wait, or the focus change would swallow the next key.
      await page.locator('h1:focus').waitFor();
    }
  });

  test('signing out in one tab signs out the others immediately and says why, and Back shows nothing', async () => {
    const { page } = await openAccount();
    const other = await page.context().newPage();
    await other.goto(`${door.origin}/account/`);
    await other.getByRole('heading', { name: 'Your details' }).waitFor();
    await page.getByRole('button', { name: 'Sign out', exact: true }).click();
    await page.waitForURL(`${door.origin}/`);
    await other.waitForURL(`${door.origin}/`);
    await other.getByText('You are signed out.').waitFor();
    await page.goBack();
    await page.waitForURL(`${door.origin}/`);
    await page.getByRole('button', { name: 'Login' }).waitFor();
    expect(await page.getByRole('heading', { name: 'Your details' }).count()).toBe(0);
  });

  test('the well-known URL for changing a password opens its form', async () => {
    const { page } = await openAccount();
    await page.goto(`${door.origin}/.well-known/change-password`);
    await page.getByLabel('Current password').waitFor();
  });
});

describe('the account', () => {
  test('changes to name, organization, INN and language persist', async () => {
    const { page, browser } = await openAccount();
    await page.getByLabel('Your Name').fill('Anna Quark');
    await page.getByLabel('Organization').fill('Quarkwerke');
    await page.getByLabel('INN').fill('123');
    const language = page.getByLabel('Language of emails and calls');
    expect(await language.inputValue()).toBe('en');
    await language.selectOption('de');
    await button(page, 'Save').click();
    await page.getByRole('region', { name: 'There is a problem' }).getByRole('link', { name: 'INN' }).click();
    await page.keyboard.type('7707083893');
    await page.getByLabel('INN').fill('7707083893');
    await page.keyboard.press('Enter');
    await page.getByText('Saved.').waitFor();
    const known = { name: 'Anna Quark', organization: 'Quarkwerke', inn: '7707083893', locale: 'de' };
    expect((await browser.get('/account')).body).toMatchObject(known);
    await page.reload();
    await expect.poll(() => page.getByLabel('Organization').inputValue()).toBe('Quarkwerke');
  });

  describe('a change made elsewhere', () => {
    test('in another tab appears immediately, but never overwrites text being typed', async () => {
      const { page, email } = await openAccount();
      const other = await page.context().newPage();
      const dashboard = await page.context().newPage();
      await dashboard.goto(`${door.origin}/dashboard/`);
      await dashboard.getByRole('heading', { name: 'Hello, Anna Berg' }).waitFor();
      await other.goto(`${door.origin}/account/`);
      await other.getByLabel('Organization').fill('Quark');
      await page.getByLabel('Your Name').fill('Anna Quark');
      await page.getByLabel('Organization').fill('Bergwerke');
      await page.getByLabel('Tell me by email').uncheck();
      await button(page, 'Save').click();
      await expect.poll(() => other.getByLabel('Your Name').inputValue()).toBe('Anna Quark');
      expect(await other.getByLabel('Tell me by email').isChecked()).toBe(false);
      expect(await other.getByLabel('Organization').inputValue()).toBe('Quark');
      await dashboard.getByRole('heading', { name: 'Hello, Anna Quark' }).waitFor();
      await button(other, 'Save').click();
      await expect.poll(() => page.getByLabel('Organization').inputValue()).toBe('Quark');
      await other.getByRole('button', { name: 'Agree' }).click();
      await page.getByRole('button', { name: 'Withdraw' }).waitFor();
      await button(other, 'Change phone number').click();
      await other.keyboard.type('+1 202 555 0183');
      await button(other, 'Change phone number').click();
      await page.getByText('+1 202 555 0183').waitFor();
      await openNewAddress({ page: other, email });
      await other.getByRole('heading', { name: 'Your email was changed' }).waitFor();
      await page.getByText(`moved.${email}`).waitFor();
      await dashboard.getByText(`moved.${email}`).waitFor();
    });

    test('in another browser appears when the user returns to the tab', async () => {
      const { page, browser } = await openAccount();
      await browser.send('PATCH', '/account', { body: { name: 'Anna Quark', locale: 'ja' } });
      await page.evaluate(() => document.dispatchEvent(new Event('visibilitychange')));
      await expect.poll(() => page.getByLabel('Your Name').inputValue()).toBe('Anna Quark');
      expect(await page.getByLabel('Language of emails and calls').inputValue()).toBe('ja');
    });

    test('by the link of the first email appears without a return to the tab', async () => {
      const { page, email } = await openAccount();
      await page.getByText('Not confirmed').first().waitFor();
      const other = await page.context().newPage();
      await other.goto(/\S+\/computers\/add\/\S+/.exec((await door.server.mailTo(email)).text)?.[0] ?? '');
      await page.getByText('Confirmed', { exact: true }).waitFor();
    });
  });

  test('the current password is needed for a new one, which ends the other sessions', async () => {
    const { page, email } = await openAccount();
    const elsewhere = door.server.client();
    await elsewhere.post('/auth/login', { email, password });
    await button(page, 'Change password').click();
    await page.getByLabel('Current password').fill('not it at all');
    await page.getByLabel('Enter new password', { exact: true }).fill('seven wet umbrellas');
    await page.getByLabel('Verify your password', { exact: true }).fill('seven wet umbrellas');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('Incorrect password').waitFor();
    await page.getByLabel('Current password').fill(password);
    await page.keyboard.press('Enter');
    await page.getByText('Your password was changed.').waitFor();
    expect((await elsewhere.post('/auth/refresh')).body).toMatchObject({ reason: 'password_changed' });
    await page.reload();
    await page.getByText('Password changed', { exact: true }).waitFor();
  });

  test('the owner ends other sessions one by one, or all together', async () => {
    const { page, email } = await openAccount();
    const others = [door.server.client(), door.server.client(), door.server.client()];
    for (const other of others) await other.post('/auth/login', { email, password });
    await page.reload();
    const ends = page.getByRole('button', { name: 'Sign out there' });
    await expect.poll(() => ends.count()).toBe(3);
    const focused = () => page.evaluate(() => document.activeElement?.textContent);
    await ends.first().click();
    await expect.poll(() => ends.count()).toBe(2);
    await expect.poll(focused).toBe('Where you are signed in');
    await button(page, 'Sign out on all other devices').click();
    await expect.poll(() => ends.count()).toBe(0);
    await expect.poll(focused).toBe('Where you are signed in');
    for (const other of others)
      expect((await other.post('/auth/refresh')).body).toMatchObject({ reason: 'ended_elsewhere' });
    await page.getByText('This device').first().waitFor();
  });

  test('the new address confirms a change of email, and the old address undoes it', async () => {
    const { page, email } = await openAccount();
    const next = `moved.${email}`;
    await button(page, 'Change email').click();
    await page.keyboard.type(next);
    await page.getByLabel('Current password').fill(password);
    await page.keyboard.press('Enter');
    await page.getByText('We have sent a link to the new address.').waitFor();
    const linkTo = async (address: string, subject: RegExp) =>
      /\S+\/change-email\/\S+/.exec((await door.server.mailTo(address, subject)).text)?.[0] ?? '';
    const elsewhere = await door.visit('/');
    await elsewhere.goto(await linkTo(next, /Confirm your new email/));
    await elsewhere.getByText(next).waitFor();
    await elsewhere.getByRole('button', { name: 'Use this address' }).click();
    await elsewhere.getByRole('heading', { name: 'Your email was changed' }).waitFor();
    await page.reload();
    await page.getByText(next).first().waitFor();
    await elsewhere.goto(await linkTo(email, /was changed/));
    await elsewhere.getByRole('button', { name: 'Take the change back' }).click();
    await elsewhere.getByRole('heading', { name: 'The change was undone' }).waitFor();
    await elsewhere.reload();
    await elsewhere.getByLabel('Enter new password', { exact: true }).fill('stones in the river');
    await elsewhere.getByLabel('Verify your password', { exact: true }).fill('stones in the river');
    await elsewhere.keyboard.press('Enter');
    await elsewhere.getByRole('link', { name: 'Sign in' }).first().waitFor();
    const signIn = (secret: string) => door.server.client().post('/auth/login', { email, password: secret });
    expect([(await signIn(password)).status, (await signIn('stones in the river')).status]).toEqual([401, 200]);
  });

  test('a call confirms a new phone number, as at registration', async () => {
    const { page, browser } = await openAccount();
    await button(page, 'Change phone number').click();
    await page.keyboard.type('+1 202 555 0182');
    await button(page, 'Call me').click();
    await page.getByText('Waiting for the call').waitFor();
    const call = (await door.server.calls()).find(({ to }) => to.replace(/\D/g, '') === '12025550182');
    await page.getByLabel(/last 4 digits/i).fill(String(call?.from).replace(/\D/g, '').slice(-4));
    await button(page, 'Confirm').click();
    await page.getByText('Phone successfully confirmed').waitFor();
    await button(page, 'Change phone number').click();
    await page.getByText('Your phone number was changed.').waitFor();
    await page.getByText('+1 202 555 0182').waitFor();
    expect((await browser.get('/account')).body).toMatchObject({ phone: '+12025550182', phone_confirmed: true });
  });

  test('the owner agrees to offers and withdraws that consent', async () => {
    const { page, browser } = await openAccount();
    await page.getByRole('button', { name: 'Agree' }).click();
    const withdraw = page.getByRole('button', { name: 'Withdraw' });
    await withdraw.waitFor();
    const offers = { kind: 'offers', given: true };
    expect((await browser.get('/account')).body.consents).toContainEqual(expect.objectContaining(offers));
    await withdraw.click();
    await page.getByText('Not agreed').waitFor();
  });

  test('a removed device is no longer a known device', async () => {
    const { page, browser } = await openAccount();
    const known = page.getByRole('button', { name: 'Remove' });
    await known.click();
    await expect.poll(() => known.count()).toBe(0);
    await expect.poll(() => page.evaluate(() => document.activeElement?.textContent)).toBe('Known devices');
    expect((await browser.get('/account/devices')).body.devices).toEqual([]);
  });

  test('the owner downloads a copy of their data as a file', async () => {
    const { page, email } = await openAccount();
    const download = page.waitForEvent('download');
    await button(page, 'Download').click();
    const file = await download;
    expect(file.suggestedFilename()).toBe('account-data.json');
    expect(JSON.parse(await text(await file.createReadStream()))).toMatchObject({ format: 1, account: { email } });
  });

  test('is deleted with its password, and kept after a sign-in', async () => {
    const { page, email } = await openAccount();
    await button(page, 'Delete account').click();
    await page.getByLabel('Current password').fill(password);
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Your account is being deleted' }).waitFor();
    await page.getByRole('link', { name: 'Sign in', exact: true }).click();
    await page.waitForURL(`${door.origin}/`);
    await signIn(page, email);
    await page.waitForURL('**/account/');
    await page.getByText('Deletion of the account cancelled').waitFor();
  });
});
