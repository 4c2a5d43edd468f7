import { expect, test } from 'vitest';
import { findAccountByEmail } from '../src/store/accounts/accounts.ts';
import { addToGroup } from '../src/store/applications/account-groups.ts';
import { addGuardedClient, openGuardedApp } from '../src/testing/guarded-app.ts';
import { password, register } from '../src/testing/people.ts';
import { openTestSite } from './test-site.ts';

const site = await openTestSite({ TRUSTED_PROXIES: '127.0.0.1' });

test('a guarded application sends people to sign in and gets them back, if its groups admit them', async () => {
  const { server } = site;
  const app = await openGuardedApp({ service: server.url, client: 'wiki' });
  await addGuardedClient(server, { id: 'wiki', origins: [app.origin], groups: ['staff'] });
  const { email } = await register(server);
  const account = await findAccountByEmail(server.store, email);
  await addToGroup(server.store, { accountId: account?.id ?? '', group: 'staff', at: 0 });

  const page = await site.visit('/de/register/');
  await page.goto(`${app.origin}/pages/7?a=b`);
  await page.waitForURL(`${site.origin}/**`);
  await page.getByText('Sign in to continue to wiki.').waitFor();
  await page.getByLabel('Email', { exact: true }).fill(email);
  await page.getByLabel('Password', { exact: true }).fill(password);
  await page.getByRole('button', { name: 'Login' }).click();
  await page.waitForURL(`${app.origin}/pages/7?a=b`);
  await expect.poll(() => page.textContent('body')).toContain(`"x-account-id":"${account?.id}"`);

  const stranger = await register(server);
  // Not the sign-in page, which would lead a signed-in user elsewhere at the same moment.
  const other = await site.visit('/nothing/here/', { session: stranger.browser });
  await other.goto(`${app.origin}/`);
  // Its heading until it knows the application's name is “No access”.
  await other.getByRole('heading', { name: 'You don’t have access to wiki' }).waitFor();
});
