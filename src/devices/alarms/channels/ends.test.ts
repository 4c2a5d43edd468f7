import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { hours, minutes } from '../../../contract/units.ts';
import { addDevice, openRunning, pass, put } from '../../../testing/alarms.ts';
import { startCallServer } from '../../../testing/call-server.ts';
import { usualEngines } from '../../../testing/databases/databases.ts';
import { proveAddress, register } from '../../../testing/people.ts';
import { newPushBrowser, openPushService } from '../../../testing/push-service.ts';

/** Without the isolates that surround values. */
const read = (text: string) => text.replace(/[\u2066-\u2069]/g, '');
const within = { timeout: minutes(1) };

test.each(usualEngines)(
  'the end of an alarm about a value says in each channel how long it lasted, and the value then, on %s',
  async (engine) => {
    const receiver = await startCallServer(({ path }) =>
      path.endsWith('/sendMessage') ? [200, { ok: true, result: { message_id: 1 } }] : [200, { ok: true, result: [] }],
    );
    const server = await openRunning(engine, {
      ...{ PRIVATE_RECEIVERS: '127.0.0.0/8', TELEGRAM_BOT_TOKEN: '1:secret', TELEGRAM_BOT_URL: receiver.url },
    });
    const { browser, email } = await register(server);
    await proveAddress(server, { email, browser });
    await sql`update accounts set phone_confirmed_at = 1 where email = ${email}`.execute(server.store);
    const device = await addDevice(server, browser, 'Front desk');
    const { key } = (await browser.get('/account/push')).body;
    const pushed = await openPushService(() => key);
    const { decrypt, p256dh, auth } = newPushBrowser();
    await put(browser, '/account/push', { endpoint: `${pushed.origin}/one`, p256dh, auth });
    await put(browser, '/account/alarms/channels/webhook', { url: `${receiver.url}/hook` });
    await put(browser, '/account/alarms/channels', { channel: 'sms', after_minutes: 0 });
    const known = await server.store.selectFrom('alarm_channels').selectAll().where('channel', '=', 'sms').execute();
    const target = JSON.stringify({ chat: 7, name: 'Ada' });
    await server.store
      .insertInto('alarm_channels')
      .values(known.map((row) => ({ ...row, channel: 'telegram' as const, target })))
      .execute();

    const chat = () => sent('/sendMessage').map(({ text }) => read(text as string));
    const sent = (end: string) =>
      receiver.received.filter(({ path }) => path.endsWith(end)).map(({ fields }) => fields as Record<string, unknown>);
    const arrived = async () => [
      chat().length,
      sent('/hook').length,
      pushed.received.length,
      (await server.calls()).filter(({ way }) => way === 'sms').length,
    ];
    await device.beat({ readings: { disk_free: 4, disk_size: 100 } });
    await pass(server, minutes(2), [device]);
    await expect.poll(arrived, within).toEqual([1, 1, 1, 1]);
    server.forward(hours(2));
    await device.beat({ readings: { disk_free: 39, disk_size: 100 } });
    await pass(server, minutes(3), [device]);
    await expect.poll(arrived, within).toEqual([2, 2, 2, 2]);

    const facts = '2 hours · Free disk space: 39%';
    expect(chat()[1]).toContain(`Front desk · ${facts}`);
    expect(sent('/hook')[1]).toMatchObject({
      type: 'alarm.ended',
      data: {
        lines: [expect.stringMatching(/^It lasted 2 hours/), `Front desk · ${facts}`],
        incident: { members: [{ name: 'Front desk', end_value: 39 }] },
      },
    });
    const notice = JSON.parse(decrypt(pushed.received[1]?.body as Buffer));
    expect(read(notice.body)).toContain(`Front desk · ${facts}`);
    expect((await server.calls())[0]?.spoken).toContain(`Resolved: Front desk · ${facts}`);
    expect(read((await server.mailTo(email, /^Resolved/)).text)).toContain(`Front desk · ${facts}`);
    await browser.post('/auth/refresh');
    const [{ id }] = (await browser.get('/account/incidents')).body.incidents;
    expect((await browser.get(`/account/incidents/${id}`)).body.members).toMatchObject([{ end_value: 39 }]);
  },
);
