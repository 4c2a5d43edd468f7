import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { hours, minutes, seconds } from '../../contract/units.ts';
import type { Engine } from '../../store/database.ts';
import type { Client } from '../../testing/client.ts';
import { usualEngines } from '../../testing/databases/databases.ts';
import { proveAddress, register } from '../../testing/people.ts';
import { openTestServer, type TestServer } from '../../testing/test-server.ts';
import { eachWarning } from '../contract/record-kinds.ts';
import { evaluateAlarms } from './evaluate-alarms.ts';
import { decideIncidents } from './incidents/decide-incidents.ts';

async function evaluate(server: Pick<TestServer, 'store' | 'now'>): Promise<void> {
  const { isUnreachable } = await evaluateAlarms(server);
  if (!isUnreachable) await decideIncidents(server);
}

interface Device {
  readonly id: string;
  beat(): Promise<void>;
  report(kind: string): Promise<void>;
}

let reports = 0;

async function addDevice(server: TestServer, browser: Client, name: string): Promise<Device> {
  await browser.post('/auth/refresh');
  const { code } = (await browser.post('/computers/enrolments', { password: 'rain under tin roofs' })).body;
  const computer = server.client();
  const enrolled = await computer.post('/computers/enrol', { code, name, platform: 'linux' });
  const agent = Object.assign(server.client(), { token: enrolled.body.device_token });
  const send = async (path: string, body: object) => {
    const { status } = await agent.send('POST', path, { body });
    expect(status).toBeLessThan(300);
  };
  return {
    id: enrolled.body.computer,
    beat: () => send('/computers/heartbeat', {}),
    report: (kind) => {
      reports += 1;
      return send('/computers/records', { records: [{ id: `r${reports}`, at: server.now(), kind, text: kind }] });
    },
  };
}

/** Lets time pass as it does for a running service: alarms are evaluated all along, and these devices are alive. */
async function pass(server: TestServer, duration: number, alive: readonly Device[] = []): Promise<void> {
  for (let passed = 0; passed < duration; passed += minutes(1)) {
    server.forward(minutes(1));
    await Promise.all(alive.map((device) => device.beat()));
    await evaluate(server);
  }
}

/** Only alarms, newest first, as `name kind`. */
async function alarms(browser: Client): Promise<string[]> {
  await browser.post('/auth/refresh');
  const { notifications } = (await browser.get('/account/notifications')).body;
  return notifications
    .filter(({ kind }: { kind: string }) => !kind.startsWith('computer_added'))
    .map(({ kind, name }: { kind: string; name: string }) => `${name} ${kind}`.trim());
}

const everyWarning = eachWarning(() => true);

const alarmRules = { silent_after_minutes: 60, ...everyWarning, email: false };

async function put(browser: Client, path: string, body: object) {
  await browser.post('/auth/refresh');
  return browser.put(path, body);
}

/** A service that has been running for a while. */
async function openRunning(engine: Engine): Promise<TestServer> {
  const server = await openTestServer(engine);
  await evaluate(server);
  await pass(server, minutes(20));
  return server;
}

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
      expect(muted).toMatchObject({ status: 200, body: { muted: true, rules: null } });
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
    const changed = await put(browser, '/account/alarms', { ...alarmRules, email: true, quiet_hours });
    expect(changed.body).toMatchObject({ quiet_hours, time_zone: 'Asia/Kathmandu' });
    // A page of an older version does not mention them.
    expect((await put(browser, '/account/alarms', { ...alarmRules, email: true })).body).toMatchObject({ quiet_hours });
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
    expect(
      (await put(browser, '/account/alarms', { ...alarmRules, email: true, quiet_hours: null })).body,
    ).toMatchObject({
      quiet_hours: null,
    });
  });
});
