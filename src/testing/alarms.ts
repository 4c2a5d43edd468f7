import { expect } from 'vitest';
import { minutes } from '../contract/units.ts';
import { evaluateAlarms } from '../devices/alarms/evaluate-alarms.ts';
import { decideIncidents } from '../devices/alarms/incidents/decide-incidents.ts';
import type { Condition, NewAlarmRule } from '../devices/contract/alarm-rules.ts';
import type { DeviceKind } from '../devices/contract/record-kinds.ts';
import type { Engine } from '../store/database.ts';
import type { Client } from './client.ts';
import { openTestServer, type TestServer } from './test-server.ts';

/** A rule for all devices that sends by every channel, as a request adds it. */
export const ruleWhen = (when: Condition, known: Partial<NewAlarmRule> = {}): NewAlarmRule => ({
  ...{ tags: [], computers: [], when, by: 'all', channels: [], at_end: true, remind_hours: null },
  ...known,
});

/** The same about silence of so many minutes. */
export const silentFor = (after_minutes: number, known: Partial<NewAlarmRule> = {}): NewAlarmRule =>
  ruleWhen({ event: 'silent', after_minutes }, known);

/** What every node does all along. */
export async function evaluate(server: Pick<TestServer, 'store' | 'now'>): Promise<void> {
  const { isUnreachable } = await evaluateAlarms(server);
  if (!isUnreachable) await decideIncidents(server);
}

export interface Device {
  readonly id: string;
  beat(body?: object): Promise<void>;
  report(kind: string, text?: string): Promise<void>;
}

let reports = 0;

export async function addDevice(server: TestServer, browser: Client, name: string, kind?: DeviceKind): Promise<Device> {
  await browser.post('/auth/refresh');
  const { code } = (await browser.post('/computers/enrolments', { password: 'rain under tin roofs' })).body;
  const computer = server.client();
  const enrolled = await computer.post('/computers/enrol', { code, name, platform: 'linux', kind });
  const agent = Object.assign(server.client(), { token: enrolled.body.device_token });
  const send = async (path: string, body: object) => {
    const { status } = await agent.send('POST', path, { body });
    expect(status).toBeLessThan(300);
  };
  return {
    id: enrolled.body.computer,
    beat: (body = {}) => send('/computers/heartbeat', body),
    report: (kind, text = kind) => {
      reports += 1;
      return send('/computers/records', { records: [{ id: `r${reports}`, at: server.now(), kind, text }] });
    },
  };
}

/** Lets time pass as it does for a running service: alarms are evaluated all along, and these devices are alive. */
export async function pass(server: TestServer, duration: number, alive: readonly Device[] = []): Promise<void> {
  for (let passed = 0; passed < duration; passed += minutes(1)) {
    server.forward(minutes(1));
    await Promise.all(alive.map((device) => device.beat()));
    await evaluate(server);
  }
}

/** Only alarms, newest first, as `name kind`. */
export async function alarms(browser: Client): Promise<string[]> {
  await browser.post('/auth/refresh');
  const { notifications } = (await browser.get('/account/notifications')).body;
  return notifications
    .filter(({ kind }: { kind: string }) => !kind.startsWith('computer_added'))
    .map(({ kind, name }: { kind: string; name: string }) => `${name} ${kind}`.trim());
}

export async function put(browser: Client, path: string, body: object) {
  await browser.post('/auth/refresh');
  return browser.put(path, body);
}

/** Adds a rule before the others, and returns its id. */
export async function addRule(browser: Client, rule: NewAlarmRule): Promise<string> {
  await browser.post('/auth/refresh');
  const { status, body } = await browser.post('/account/alarms/rules', rule);
  expect(status).toBe(201);
  return body.rules[0].id;
}

/** A service that has been running for a while. */
export async function openRunning(engine: Engine, settings: Record<string, string> = {}): Promise<TestServer> {
  const server = await openTestServer(engine, settings);
  await evaluate(server);
  await pass(server, minutes(20));
  return server;
}
