import * as openid from 'openid-client';
import { describe, expect, test } from 'vitest';
import { minutes } from '../../contract/units.ts';
import { addApplication } from '../../testing/applications/application.ts';
import { statusAndCode } from '../../testing/client.ts';
import { usualEngines } from '../../testing/databases/databases.ts';
import { password, register } from '../../testing/people.ts';
import { openTestServer } from '../../testing/test-server.ts';

describe.each(usualEngines)('letting a device in, on %s,', async (engine) => {
  const server = await openTestServer(engine);

  const begin = async () => {
    const app = await addApplication(server, { redirect_uris: [], public: true, device: true });
    const begun = await openid.initiateDeviceAuthorization(app.config, { scope: 'openid' });
    return { app, begun, decision: (allow: boolean) => ({ user_code: begun.user_code, allow }) };
  };

  test('needs a fresh proof of identity; refusing it does not', async () => {
    const { browser } = await register(server);
    server.forward(minutes(8));
    await browser.post('/auth/refresh', {});
    server.forward(minutes(8));
    await browser.post('/auth/refresh', {});
    const decide = (given: object) => browser.post('/connect/device/decision', given);
    const [wanted, refused] = [await begin(), await begin()];
    expect(statusAndCode(await decide(wanted.decision(true)))).toBe('401 step_up_required');
    expect((await decide(refused.decision(false))).status).toBe(204);
    await browser.post('/auth/step-up', { password });
    expect((await decide(wanted.decision(true))).status).toBe(204);
  });

  test('is recorded and emailed to a proven address, once, and “sign out everywhere” ends it', async () => {
    const { browser, email } = await register(server);
    const at = server.now();
    await server.store.updateTable('accounts').set({ email_proven_at: at }).where('email', '=', email).execute();
    const { app, begun, decision } = await begin();
    const decide = () => browser.post('/connect/device/decision', decision(true));
    const decided = [...(await Promise.all([decide(), decide(), decide()])), await decide()];
    expect(decided.map(({ status }) => status)).toEqual([204, 204, 204, 204]);
    const { text } = await server.mailTo(email, /^A device was connected/);
    expect(text).toContain('can now use Grafana on your behalf');
    const { records } = (await browser.get('/account/activity')).body;
    expect(records.filter(({ kind }: { kind: string }) => kind === 'device_let_in')).toHaveLength(1);
    const tokens = await openid.pollDeviceAuthorizationGrant(app.config, { ...begun, interval: 0 });
    expect((await browser.get('/account/apps')).body.apps).toMatchObject([{ id: app.id }]);
    await browser.send('DELETE', '/account/sessions', {});
    await expect(openid.refreshTokenGrant(app.config, tokens.refresh_token ?? '')).rejects.toMatchObject({
      error: 'invalid_grant',
    });
  });
});
