import * as openid from 'openid-client';
import { describe, expect, test } from 'vitest';
import { type ClientEntry, clientEntry, syncClients } from '../../operations/clients.ts';
import { addAccountToGroup, removeAccountFromGroup } from '../../operations/groups.ts';
import { type AccountsTable, findAccount } from '../../store/accounts/accounts.ts';
import { addToGroup, removeFromGroup } from '../../store/applications/account-groups.ts';
import { findClient, saveClient } from '../../store/applications/clients.ts';
import { endGrantsNotAdmitted } from '../../store/applications/end-grants.ts';
import {
  type Application,
  addApplication,
  authorizationRequest,
  follow,
  locationOf,
  redirectUri,
  signInTo,
} from '../../testing/applications/application.ts';
import { engines, overtake } from '../../testing/databases/databases.ts';
import { register } from '../../testing/people.ts';
import { openTestServer, type TestServer } from '../../testing/test-server.ts';

const operator = { kind: 'command', actor: 'alice', origin: 'test', reason: undefined } as const;

describe.each(engines)('an account that an application no longer admits, on %s,', async (engine) => {
  const server = await openTestServer(engine);
  const operation = async () => {
    const { store, now } = server;
    return { store, now: now(), operator };
  };

  /** A browser of an account in the group `staff`. */
  async function openMember() {
    const { browser } = await register(server);
    const account = (await findAccount(server.store, (await browser.get('/account')).body.id)) as AccountsTable;
    await addToGroup(server.store, { accountId: account.id, group: 'staff', at: server.now() });
    return { server, browser, account };
  }

  const listening = { groups: ['staff', 'guests'], backchannel_logout_uri: 'http://127.0.0.1:9/logout' };

  const isActive = async ({ config }: Application, token: string | undefined) =>
    (await openid.tokenIntrospection(config, token ?? '')).active;

  /** The subjects whose sign-in to an application was reported as ended. */
  const notified = async ({ store }: TestServer, app: Application) => {
    const rows = await store.selectFrom('logout_notices').select('subject').where('client_id', '=', app.id).execute();
    return rows.map(({ subject }) => subject);
  };

  /** The application as CLIENTS_FILE would describe it, for these groups. */
  const fromFile = (app: Application, groups: readonly string[]): ClientEntry =>
    clientEntry.parse({
      ...{ client_id: app.id, client_name: 'Grafana', redirect_uris: [redirectUri], first_party: true },
      client_secrets: [app.secret],
      backchannel_logout_uri: listening.backchannel_logout_uri,
      groups,
    });

  type Change = (account: AccountsTable, app: Application) => Promise<unknown>;
  const losses: [string, Change, Change][] = [
    [
      'left its group',
      async (account) => removeAccountFromGroup(await operation(), { account, group: 'staff' }),
      async (account) => addAccountToGroup(await operation(), { account, group: 'staff' }),
    ],
    [
      'has none of the groups that CLIENTS_FILE now lists',
      async (_account, app) => syncClients(await operation(), [fromFile(app, ['admins'])]),
      async (_account, app) => syncClients(await operation(), [fromFile(app, [])]),
    ],
  ];

  test.each(losses)('loses its grants there, for good, when it %s', async (_how, lose, regain) => {
    const { server, browser, account } = await openMember();
    const app = await addApplication(server, listening);
    const open = await addApplication(server, { backchannel_logout_uri: listening.backchannel_logout_uri });
    const tokens = await signInTo(server, { app, browser });
    const others = await signInTo(server, { app: open, browser });
    await lose(account, app);
    expect(await notified(server, app)).toEqual([account.id]);
    await regain(account, app);
    for (const token of [tokens.access_token, tokens.refresh_token]) expect(await isActive(app, token)).toBe(false);
    await expect(openid.refreshTokenGrant(app.config, tokens.refresh_token ?? '')).rejects.toMatchObject({
      error: 'invalid_grant',
    });
    expect([await isActive(open, others.access_token), await notified(server, open)]).toEqual([true, []]);
    expect((await signInTo(server, { app, browser })).access_token).toBeTruthy();
  });

  test('keeps its grants while it has another group of the application', async () => {
    const { server, browser, account } = await openMember();
    const app = await addApplication(server, listening);
    await addAccountToGroup(await operation(), { account, group: 'guests' });
    const tokens = await signInTo(server, { app, browser });
    await removeAccountFromGroup(await operation(), { account, group: 'staff' });
    expect([await isActive(app, tokens.refresh_token), await notified(server, app)]).toEqual([true, []]);
  });

  test('gets no grant from a sign-in that began before', async () => {
    const { server, browser, account } = await openMember();
    const app = await addApplication(server, listening);
    const { url } = await authorizationRequest(app);
    const response = await overtake(server.store, {
      async change(trx) {
        const client = (await findClient(trx, app.id)) ?? expect.fail('no client');
        await saveClient(trx, { ...client, groups: ['admins'] });
        await endGrantsNotAdmitted(trx, { client: { ...client, groups: ['admins'] }, at: server.now() });
      },
      send: () => follow(browser, server, url),
    });
    expect(locationOf(response, server).searchParams.get('code')).toBeNull();
    await removeFromGroup(server.store, { accountId: account.id, group: 'staff' });
    const grants = server.store.selectFrom('client_grants').select('id').where('client_id', '=', app.id);
    expect(await grants.execute()).toEqual([]);
  });
});
