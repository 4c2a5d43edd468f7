import { describe, expect, test } from 'vitest';
import { shutOut } from '../../access/shut-out.ts';
import { accountParts } from '../../server/wings.ts';
import { type AccountsTable, findAccountByEmail, setLock } from '../../store/accounts/accounts.ts';
import {
  addApplication,
  authorizationRequest,
  follow,
  locationOf,
  reach,
} from '../../testing/applications/application.ts';
import { openRequest } from '../../testing/applications/page.ts';
import { statusAndCode } from '../../testing/client.ts';
import { engines } from '../../testing/databases/databases.ts';
import { register } from '../../testing/people.ts';
import { openTestServer, type TestServer } from '../../testing/test-server.ts';

/** Sends a request, and locks its account while the request, which has read the session, waits for that. */
async function overtaken<Response>(
  server: TestServer,
  { email, send }: { readonly email: string; readonly send: () => Promise<Response> },
): Promise<Response> {
  let request: Promise<Response> | undefined;
  await server.store.transaction().execute(async (trx) => {
    const account = (await findAccountByEmail(trx, email)) as AccountsTable;
    await setLock(trx, { accountId: account.id, at: server.now() });
    await shutOut(trx, { account, cause: 'locked', at: server.now(), parts: accountParts });
    request = send();
    // Without a lock on the account, the request would be over by then.
    await new Promise((resolve) => setTimeout(resolve, 300));
  });
  return request as Promise<Response>;
}

const grantsIn = async ({ store }: TestServer, clientId: string) =>
  (await store.selectFrom('client_grants').select('id').where('client_id', '=', clientId).execute()).length;

describe.each(engines)('a request for an application that a lock overtakes, on %s,', async (engine) => {
  const server = await openTestServer(engine);

  test('grants nothing that outlives the session', async () => {
    const app = await addApplication(server);
    const { browser, email } = await register(server);
    const { url } = await authorizationRequest(app, { scope: 'openid offline_access' });
    const response = await overtaken(server, { email, send: () => follow(browser, server, url) });
    expect(locationOf(response, server).searchParams.get('code')).toBeNull();
    expect(await grantsIn(server, app.id)).toBe(0);
  });

  test('does not store a consent', async () => {
    const app = await addApplication(server, { first_party: false });
    const { browser, email } = await register(server);
    const { id } = await openRequest(server, { app, browser });
    const send = () => browser.post(`/connect/requests/${id}`, { allow: true });
    expect(statusAndCode(await overtaken(server, { email, send }))).toBe('401 not_signed_in');
    const consents = server.store.selectFrom('connected_clients').select('client_id').where('client_id', '=', app.id);
    expect(await consents.execute()).toEqual([]);
  });

  test('does not let a device in', async () => {
    const app = await addApplication(server, { redirect_uris: [], public: true, device: true });
    const begun = await reach(server)(`${server.config.PUBLIC_URL}/oidc/device`, {
      method: 'POST',
      body: new URLSearchParams({ client_id: app.id, scope: 'openid' }),
    });
    const { user_code } = (await begun.json()) as { user_code: string };
    const { browser, email } = await register(server);
    const decision = await overtaken(server, {
      email,
      send: () => browser.post('/connect/device/decision', { user_code, allow: true }),
    });
    expect(statusAndCode(decision)).toBe('401 not_signed_in');
    expect(await grantsIn(server, app.id)).toBe(0);
  });
});
