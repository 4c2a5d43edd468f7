import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { hours, minutes, seconds } from '../../contract/units.ts';
import { addDevice, alarms, type Device, evaluate, openRunning, pass, put } from '../../testing/alarms.ts';
import { usualEngines } from '../../testing/databases/databases.ts';
import { proveAddress, register } from '../../testing/people.ts';

describe.each(usualEngines)('alarms, on %s,', (engine) => {
  const running = openRunning(engine);
  const person = async (devices: readonly string[] = ['Office']) => {
    const server = await running;
    const { browser, email } = await register(server, {});
    const own: Device[] = [];
    for (const name of devices) own.push(await addDevice(server, browser, name));
    return { server, browser, email, devices: own, device: own[0] as Device };
  };

  describe('of a muted device', () => {
    test('wait for a day, and are then reported if the device is still silent', async () => {
      const { server, browser, device } = await person();
      const muted = await put(browser, `/computers/${device.id}/alarms`, { mute: 24 * 60 });
      expect(muted).toMatchObject({ status: 200, body: { muted: true } });
      expect(Date.parse(muted.body.muted_until) - server.now()).toBeGreaterThan(hours(23));
      await pass(server, hours(2));
      expect(await alarms(browser)).toEqual([]);
      // Another device keeps the service in touch while a day passes quickly.
      for (let passed = 0; passed < hours(22.5); passed += seconds(80)) {
        server.forward(seconds(80));
        await evaluate(server);
      }
      expect(await alarms(browser)).toEqual(['Office computer_silent']);
    });

    test('stay away until further notice', async () => {
      const { server, browser, device } = await person();
      const path = `/computers/${device.id}/alarms`;
      const muted = await put(browser, path, { mute: 'until_further_notice' });
      expect(muted.body).toMatchObject({ muted: true, muted_until: null });
      await device.report('battery_low');
      await pass(server, hours(2));
      expect(await alarms(browser)).toEqual([]);
      expect((await put(browser, path, { mute: null })).body).toMatchObject({ muted: false, muted_until: null });
      await evaluate(server);
      expect((await alarms(browser)).sort()).toEqual(['Office battery_low', 'Office computer_silent']);
    });
  });

  test('are held back by email during quiet hours, and all sent at their end', async () => {
    const { server, browser, email, devices } = await person(['Office', 'Server']);
    const alive = await person(['Elsewhere']);
    await proveAddress(server, { email, browser });
    await sql`update accounts set time_zone = 'Asia/Kathmandu' where email = ${email}`.execute(server.store);
    // 5:45 ahead of UTC. These hours began just now, and end in three hours.
    const localTime = (at: number) => new Date(at + hours(5.75)).toISOString().slice(11, 16);
    const quiet_hours = { from: localTime(server.now()), until: localTime(server.now() + hours(3)) };
    const changed = await put(browser, '/account/alarms/quiet-hours', { quiet_hours });
    expect(changed.body).toMatchObject({ quiet_hours, time_zone: 'Asia/Kathmandu' });
    await pass(server, minutes(65), [...alive.devices, devices[0] as Device]);
    await pass(server, minutes(70), alive.devices);
    expect(await alarms(browser)).toHaveLength(2);
    const queued = server.store.selectFrom('alarm_messages').select(['due_at']).where('recipient', '=', email);
    const held = await queued.execute();
    expect(held.map(({ due_at }) => localTime(due_at))).toEqual([quiet_hours.until, quiet_hours.until]);
    expect((await server.mails(email)).filter(({ subject }) => /^Silent/.test(subject))).toEqual([]);
    await pass(server, minutes(50), alive.devices);
    expect((await server.mailTo(email, /^Silent: Server/)).text).toContain('Server · ');
    expect((await server.mailTo(email, /^Silent: Office/)).text).toContain('Office · ');
    expect((await put(browser, '/account/alarms/quiet-hours', { quiet_hours: null })).body).toMatchObject({
      quiet_hours: null,
    });
  });
});
