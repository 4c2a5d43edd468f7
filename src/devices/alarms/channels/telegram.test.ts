import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { shutOut } from '../../../access/shut-out.ts';
import { minutes } from '../../../contract/units.ts';
import { accountParts } from '../../../server/wings.ts';
import { lockAccountRow } from '../../../store/accounts/accounts.ts';
import { addDevice, addRule, pass, silentFor } from '../../../testing/alarms.ts';
import { startCallServer } from '../../../testing/call-server.ts';
import { engines, overtake, usualEngines } from '../../../testing/databases/databases.ts';
import { letPass, proveAddress, register } from '../../../testing/people.ts';
import { openTestServer } from '../../../testing/test-server.ts';
import { evaluateAlarms } from '../evaluate-alarms.ts';

interface Sent {
  readonly chat_id: number;
  readonly text: string;
}

/** The part of the Bot API that we use: people write to the bot, and chats answer as a test says. */
async function openBotApi() {
  const written: object[] = [];
  const moved = new Map<number, number>();
  let refusal: object | undefined;
  const api = await startCallServer(({ path, fields }) => {
    const method = path.split('/').at(-1);
    if (method === 'getMe') return [200, { ok: true, result: { id: 1, is_bot: true, username: 'our_bot' } }];
    if (method === 'getUpdates') {
      const { offset } = fields as { offset: number };
      return [200, { ok: true, result: written.filter((_, at) => at + 1 >= offset) }];
    }
    const to = moved.get((fields as Sent).chat_id);
    if (to !== undefined) {
      const description = 'Bad Request: group chat was upgraded to a supergroup chat';
      return [400, { ok: false, error_code: 400, description, parameters: { migrate_to_chat_id: to } }];
    }
    return refusal ? [403, refusal] : [200, { ok: true, result: { message_id: 1 } }];
  });
  return {
    url: api.url,
    sent: () => api.received.filter(({ path }) => path.endsWith('/sendMessage')).map(({ fields }) => fields as Sent),
    write: (message: object) => written.push({ update_id: written.length + 1, message }),
    start: (token: string | null, id: number, first_name: string) =>
      written.push({
        update_id: written.length + 1,
        message: { text: `/start ${token}`, chat: { id, type: 'private', first_name } },
      }),
    move: (from: number, to: number) => moved.set(from, to),
    refuse: (description: string) => {
      refusal = { ok: false, error_code: 403, description };
    },
  };
}

test.each(usualEngines)(
  'a chat is connected once, gets alarms, and the next channel takes over once it is gone, on %s',
  async (engine) => {
    const api = await openBotApi();
    const server = await openTestServer(engine, { TELEGRAM_BOT_TOKEN: '1:secret', TELEGRAM_BOT_URL: api.url });
    await evaluateAlarms(server);
    const { browser, email } = await register(server);
    await proveAddress(server, { email, browser });
    await addDevice(server, browser, 'Front desk');
    await addRule(browser, silentFor(5, { by: 'chosen', channels: ['telegram'] }));
    const channel = async (name: string) =>
      (await browser.get('/account/alarms/channels')).body.channels.find(
        (one: { channel: string }) => one.channel === name,
      );
    const choose = (body: object) => browser.put('/account/alarms/channels', body);

    expect(await choose({ channel: 'telegram', after_minutes: 5 })).toSay('404 not_found');
    const { link } = (await browser.post('/account/alarms/channels/telegram')).body;
    expect(link).toMatch(/^https:\/\/t\.me\/our_bot\?start=[\w-]{22}$/);
    const token = new URL(link).searchParams.get('start');
    // One message of another shape does not keep the others waiting.
    api.write({ text: null, chat: { id: 5, type: 'private' } });
    api.start('x'.repeat(22), 6, 'Mallory');
    api.start(token, 7, 'Ada');
    api.start(token, 8, 'Mallory');
    await expect
      .poll(() => channel('telegram'), { timeout: minutes(1) })
      .toMatchObject({ recipient: 'Ada', after_minutes: 0 });
    await expect
      .poll(api.sent, { timeout: minutes(1) })
      .toMatchObject([{ chat_id: 7, text: expect.stringContaining('arrive in this chat') }]);
    expect((await choose({ channel: 'telegram', after_minutes: 1 })).body.channels).toContainEqual(
      expect.objectContaining({ channel: 'telegram', recipient: 'Ada', after_minutes: 1 }),
    );
    // The second message within a second waits.
    server.forward(minutes(1));
    expect((await browser.post('/account/alarms/channels/test', { channel: 'telegram' })).body).toEqual({
      state: 'sent',
      said: '',
    });

    await pass(server, minutes(18));
    await expect
      .poll(() => api.sent().at(-1)?.text, { timeout: minutes(1) })
      .toMatch(/^Silent: .*Front desk[\s\S]*https?:\S+\/alarms\/\?incident=/);

    // A group that becomes a supergroup has another id, which is kept.
    api.move(7, -1009);
    for (const asked of [[7, -1009], [-1009]]) {
      await letPass(server, browser, minutes(1));
      const [before] = [api.sent().length];
      expect((await browser.post('/account/alarms/channels/test', { channel: 'telegram' })).body.state).toBe('sent');
      expect(
        api
          .sent()
          .slice(before)
          .map(({ chat_id }) => chat_id),
      ).toEqual(asked);
    }
    api.refuse('Forbidden: bot was blocked by the user');
    await letPass(server, browser, minutes(1));
    expect((await browser.post('/account/alarms/channels/test', { channel: 'telegram' })).body).toMatchObject({
      state: 'failed',
      said: expect.stringContaining('blocked'),
    });
    expect(await channel('telegram')).toMatchObject({ broken: '403 Forbidden: bot was blocked by the user' });
    // It is not tried for the next incident.
    const [before] = [api.sent().length];
    await sql`update incidents set ended_at = 1, due_at = null`.execute(server.store);
    await sql`update computers set alarm_silent_at = null, alarm_check_at = 0`.execute(server.store);
    await pass(server, minutes(20));
    expect(api.sent()).toHaveLength(before);

    await browser.post('/auth/refresh');
    await choose({ channel: 'telegram', after_minutes: null });
    expect(await channel('telegram')).toMatchObject({ recipient: null, after_minutes: null });
  },
);

test.each(engines)('a request whose session ends meanwhile makes no link, on %s', async (engine) => {
  const api = await openBotApi();
  const server = await openTestServer(engine, { TELEGRAM_BOT_TOKEN: '1:secret', TELEGRAM_BOT_URL: api.url });
  const { id, email, browser } = await register(server);
  const account = { id, email_key: email, locale: 'en' } as const;
  const asking = overtake(server.store, {
    async change(trx) {
      await lockAccountRow(trx, id);
      await shutOut(trx, { account, cause: 'sessions_ended', at: server.now(), parts: accountParts });
    },
    send: () => browser.post('/account/alarms/channels/telegram'),
  });
  expect(await asking).toSay('401 not_signed_in');
  expect(await server.store.selectFrom('telegram_links').selectAll().execute()).toEqual([]);
});

test('without a bot, Telegram is not offered', async () => {
  const server = await openTestServer('sqlite');
  const { browser } = await register(server);
  const { channels } = (await browser.get('/account/alarms/channels')).body;
  expect(channels.map(({ channel }: { channel: string }) => channel)).not.toContain('telegram');
  expect(await browser.post('/account/alarms/channels/telegram')).toSay('404 not_found');
});
