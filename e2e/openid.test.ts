import { expect, test } from 'vitest';
import { password, register } from '../src/testing/people.ts';
import { openSinglePageApp } from './single-page-app.ts';
import { openTestSite } from './test-site.ts';

const door = await openTestSite();

test('a single-page app sends its visitor to sign in and agree, and greets them by name', async () => {
  const origin = await openSinglePageApp(door, { client_name: '<b>Notes</b>' });
  const { email } = await register(door.server);
  const page = await door.visit('/');
  await page.goto(`${origin}/`);
  await page.getByText('Sign in to continue to <b>Notes</b>.').waitFor();
  await page.getByLabel('Email', { exact: true }).fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Login' }).click();
  await page.getByRole('heading', { name: '<b>Notes</b> asks for access to your account' }).waitFor();
  await page.getByText(new URL(origin).host).waitFor();
  await page.getByRole('button', { name: 'Allow', exact: true }).click();
  await page.getByText('Hello Anna Berg').waitFor();
  expect(page.url()).toContain(`${origin}/callback`);
  await page.goto(`${door.origin}/account/privacy/`);
  await page.getByRole('heading', { name: '<b>Notes</b>' }).waitFor();
  await page.getByRole('button', { name: 'Disconnect' }).click();
  await page.getByText('No app uses your account.').waitFor();
});
