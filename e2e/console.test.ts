import { expect, onTestFinished, test } from 'vitest';
import { minutes } from '../src/contract/units.ts';
import { runJobs } from '../src/operations/jobs.ts';
import { invitationLink, inviteOperator } from '../src/operations/operators.ts';
import { accountParts } from '../src/server/wings.ts';
import { setOperator } from '../src/store/operators/operators.ts';
import { addAuthenticator } from '../src/testing/authenticator.ts';
import { register } from '../src/testing/people.ts';
import { newSecret, openWebhookReceiver } from '../src/testing/webhook-receiver.ts';
import { routeNext } from './steps.ts';
import { openTestSite } from './test-site.ts';

const site = await openTestSite();

test('a colleague accepts an invitation, finds a person, reveals the address, locks the account, and is in the log', async () => {
  const { server, origin } = site;
  const { email, browser } = await register(server, { name: 'Olga Klein' });
  const app = await addAuthenticator(server, browser);
  const found = await register(server, { name: 'Ola Nowak' });
  // Since the second step was set up, too long ago for such an act.
  server.forward(minutes(16));
  const operator = { kind: 'command', actor: 'root', origin: 'host', reason: undefined } as const;
  const operation = { store: server.store, parts: accountParts, operator, now: server.now() };
  const { invitation } = await inviteOperator(operation, { email, role: 'viewer' });

  const page = await site.visit('/console/', { session: browser });
  await page.getByRole('heading', { name: 'Page not found' }).waitFor();
  await page.goto(invitationLink(origin, invitation));
  await page.getByRole('main').getByText(email).waitFor();
  await page.getByRole('button', { name: 'Accept invitation' }).click();
  await page.getByRole('dialog').locator('input:focus').waitFor();
  await page.keyboard.type(app.nextCode());
  await page.getByText('Invitation accepted. Your role: Viewer').waitFor();
  await page.getByRole('link', { name: 'Open the console' }).click();

  await page.getByRole('heading', { name: 'People' }).waitFor();
  await page.locator('#find').waitFor();
  await page.keyboard.press('/');
  await page.locator('#find:focus').waitFor();
  await page.keyboard.type('Nowak');
  await page.locator('[data-person]').first().getByText('Ola Nowak').waitFor();
  await page.waitForURL('**/console/?q=Nowak');
  await page.keyboard.press('ArrowDown');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Ola Nowak' }).waitFor();
  await page.getByText('Sign-in works now with').waitFor();
  expect(await page.getByText(found.email).count()).toBe(0);
  await page.getByRole('button', { name: 'Reveal' }).click();
  await page.getByText(found.email).waitFor();
  expect(await page.getByRole('button', { name: 'Lock account' }).count()).toBe(0);

  await server.store.updateTable('operators').set({ role: 'support' }).execute();
  await page.reload();
  await page.getByRole('button', { name: 'Lock account' }).click();
  await page.getByLabel('Reason, for the audit log').fill('stolen laptop');
  await page.getByRole('dialog').getByRole('button', { name: 'Lock account' }).click();
  await page.getByText('Done. It’s in the audit log.').waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByRole('status').getByText('Account unlocked').waitFor();
  await page.getByRole('button', { name: 'Close' }).click();
  await page.getByRole('button', { name: 'Lock account' }).waitFor();
  await page.getByRole('button', { name: 'Edit details' }).click();
  await page.getByRole('textbox', { name: 'Name' }).fill('Ola Wrona');
  await page.getByRole('dialog').getByRole('button', { name: 'Edit details' }).click();
  await page.getByRole('heading', { name: 'Ola Wrona' }).waitFor();
  await page.getByRole('button', { name: 'Undo' }).click();
  await page.getByRole('heading', { name: 'Ola Nowak' }).waitFor();
  await page.getByRole('button', { name: 'Close' }).click();

  await page.goto(`${origin}/console/`);
  await page.getByRole('button', { name: 'Add a person' }).click();
  await page.getByLabel('Email', { exact: true }).fill('ida@example.com');
  await page.getByRole('textbox', { name: 'Name' }).fill('Ida Lind');
  // The response is lost, and a second press adds nobody else.
  await routeNext(page, '**/operators/people', async (route) => {
    await route.fetch();
    await route.fulfill({ status: 503 });
  });
  await page.getByRole('dialog').getByRole('button', { name: 'Add a person' }).click();
  await page.getByText('An error occurred').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Add a person' }).click();
  await page.getByText('A link is on its way to ida@example.com').waitFor();
  expect((await server.mailTo('ida@example.com')).text).toMatch(/reset-password/);
  await page.getByRole('dialog').getByRole('link', { name: 'Ida Lind' }).click();
  await page.getByRole('heading', { name: 'Ida Lind' }).waitFor();

  await page.goto(`${origin}/console/`);
  await page.getByRole('checkbox', { name: 'Select all' }).check();
  await page.getByText('Selected: 3').waitFor();
  await page.getByRole('checkbox', { name: 'Olga Klein' }).uncheck();
  await page.getByRole('button', { name: 'Help the selected people' }).click();
  await page.getByLabel('What to do').selectOption({ label: 'Unlock account' });
  await page.getByRole('dialog').getByRole('button', { name: 'Unlock account' }).click();
  await page.getByText('Done: 0 of 2').waitFor();
  await runJobs({ ...server, parts: accountParts, secrets: {} as never, keyring: {} as never }, (error) => {
    throw error;
  });
  await page.getByText('Done: 2 of 2').waitFor();
  await page.getByText('Done. It’s in the audit log.').waitFor();

  const toIda = server.store.updateTable('outbox').where('recipient', '=', 'ida@example.com');
  await toIda.set({ sent_at: null, gave_up_at: server.now(), last_error: '550 mailbox full' }).execute();
  await page.getByRole('link', { name: 'Service' }).click();
  await page.getByText('550 mailbox full').waitFor();
  await page.getByRole('button', { name: 'Send again' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Send again' }).click();
  await page.getByText('Done. It’s in the audit log.').waitFor();
  const again = server.store.selectFrom('outbox').select('gave_up_at').where('recipient', '=', 'ida@example.com');
  expect(await again.execute()).toEqual([{ gave_up_at: null }]);
  await page.getByRole('button', { name: 'Close' }).click();
  await page.goto(`${origin}/console/`);
  await page.getByRole('link', { name: 'Ola Nowak' }).first().click();
  await page.getByRole('link', { name: 'What they see' }).click();
  await page.getByText('Support looked at the account').first().waitFor();
  await page.getByText('No computers yet').waitFor();
  await page.getByRole('link', { name: 'Audit log' }).click();
  await page.getByRole('heading', { name: 'Audit log' }).waitFor();
  await page.getByText('stolen laptop').first().waitFor();
  await page.getByText('Address and number revealed').first().waitFor();
  await page.getByText('Devices viewed').first().waitFor();
  await page.getByRole('button', { name: 'Views' }).click();
  await page.getByText('stolen laptop').first().waitFor({ state: 'detached' });
  await page.getByRole('button', { name: 'Check the chain' }).click();
  await page.getByText('The chain is unbroken.').waitFor();

  await page.getByRole('link', { name: 'Today' }).click();
  const checked = page.getByRole('status').filter({ hasText: 'Checked: ' });
  const before = await checked.innerText();
  server.forward(minutes(2));
  await page.getByRole('button', { name: 'Check again' }).click();
  await expect.poll(() => checked.innerText()).not.toBe(before);
});

test('an owner adds a receiver of events, tests it, replaces its secret, adds a promo code, an app, and revokes an invitation', async () => {
  const { server, origin } = site;
  const { id, browser } = await register(server, { name: 'Otto Groß' });
  const owner = { account_id: id, role: 'owner', added_at: server.now() } as const;
  await server.store.transaction().execute((trx) => setOperator(trx, owner));
  await server.store.updateTable('sessions').set({ acr: 'aal2' }).where('account_id', '=', id).execute();
  const held = { secret: newSecret() };
  const app = await openWebhookReceiver({ secret: () => held.secret, now: server.now });
  onTestFinished(app.close);

  const page = await site.visit('/console/service/?list=receivers', { session: browser });
  const dialog = page.getByRole('dialog');
  const shownOnce = () => dialog.locator('code').innerText();
  await page.getByRole('button', { name: 'Add a receiver' }).click();
  await dialog.getByLabel('Address that begins').fill(app.url);
  await dialog.getByRole('button', { name: 'Add a receiver' }).click();
  await dialog.getByText('Field cannot be empty').waitFor();
  await dialog.getByRole('checkbox', { name: 'account.created' }).check();
  await dialog.getByRole('button', { name: 'Add a receiver' }).click();
  await dialog.getByText('Copy this now').waitFor();
  const added = await shownOnce();
  await dialog.getByRole('button', { name: 'Close' }).click();

  await page.getByRole('button', { name: 'Send a test' }).click();
  await dialog.getByRole('button', { name: 'Send a test' }).click();
  await dialog.getByText('The receiver didn’t accept it: HTTP 400').waitFor();
  held.secret = added;
  await dialog.getByRole('button', { name: 'Send a test' }).click();
  await dialog.getByText('The receiver accepted it.').waitFor();
  await dialog.getByRole('button', { name: 'Close' }).click();
  await page.getByRole('button', { name: 'New secret' }).click();
  await dialog.getByRole('button', { name: 'New secret' }).click();
  await dialog.getByText('Copy this now').waitFor();
  held.secret = await shownOnce();
  await dialog.getByRole('button', { name: 'Close' }).click();
  await page.getByText('Two secrets').waitFor();
  await page.getByRole('button', { name: 'Remove the older secret' }).click();
  await dialog.getByRole('button', { name: 'Remove the older secret' }).click();
  await dialog.getByText('Done. It’s in the audit log.').waitFor();
  await dialog.getByRole('button', { name: 'Close' }).click();
  await page.getByRole('button', { name: 'New secret' }).waitFor();
  await register(server);
  await expect.poll(() => app.received.map(({ type }) => type)).toEqual(['webhook.test', 'account.created']);

  await page.getByRole('link', { name: 'Promo codes' }).click();
  await page.getByRole('button', { name: 'Add a promo code' }).click();
  await dialog.getByLabel('Promo code').fill('SUMMER27');
  await dialog.getByLabel('How many people can use it').fill('3');
  await dialog.getByLabel('Last day').fill('2099-12-31');
  await dialog.getByRole('button', { name: 'Add a promo code' }).click();
  await dialog.getByText('Done. It’s in the audit log.').waitFor();
  await dialog.getByRole('button', { name: 'Close' }).click();
  await page.getByText('Uses left: 3').waitFor();

  await page.getByRole('link', { name: 'Apps' }).click();
  await page.getByRole('button', { name: 'Add an app' }).click();
  await dialog.getByLabel('Name of the app').fill('Wiki');
  await dialog.getByLabel('Redirect URIs').fill('https://wiki.example/callback\nhttps://wiki.example/again');
  await dialog.getByRole('button', { name: 'Add an app' }).click();
  await dialog.getByText('Copy this now').waitFor();
  await dialog.getByRole('button', { name: 'Close' }).click();
  await page.getByText('https://wiki.example/again').waitFor();
  await page.getByRole('button', { name: 'Remove' }).click();
  await dialog.getByRole('button', { name: 'Remove' }).click();
  await page.getByText('https://wiki.example/again').waitFor({ state: 'detached' });
  await dialog.getByRole('button', { name: 'Close' }).click();

  await page.goto(`${origin}/console/operators/`);
  await page.getByRole('button', { name: 'Invite an operator' }).click();
  await dialog.getByLabel('Email').fill('bob@example.com');
  await dialog.getByRole('button', { name: 'Invite an operator' }).click();
  await dialog.getByText('Copy this now').waitFor();
  await dialog.getByRole('button', { name: 'Close' }).click();
  await page.getByText('Invited by Otto Groß').waitFor();
  await page.getByRole('button', { name: 'Revoke' }).click();
  await dialog.getByRole('button', { name: 'Revoke' }).click();
  await dialog.getByText('Done. It’s in the audit log.').waitFor();
  await dialog.getByRole('button', { name: 'Close' }).click();
  await page.getByText('Invited by Otto Groß').waitFor({ state: 'detached' });
});
