import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { codeOf, fromBase32, stepAt } from '../../security/factors.ts';
import { openClient } from '../../testing/client.ts';
import { engines, freshDatabase, openTestStore, withPostgres } from '../../testing/databases/databases.ts';
import { outages } from '../../testing/databases/outages.ts';
import { freePort } from '../../testing/free-port.ts';
import { form, password } from '../../testing/people.ts';
import { startProcess } from '../../testing/process.ts';

/** Metrics that the alert rules and the dashboard use. */
const asked = ['alerts.yml', 'grafana.json'].flatMap(
  (file) =>
    readFileSync(join('docs', 'operate', file), 'utf8').match(/\b(?:vestibule|nodejs|process)_[a-z0-9_]+/g) ?? [],
);

describe.each(engines)('the metrics of a process, on %s', (engine) => {
  test('cover requests and refusals by route, the gate, calls, the database and the process, even during an outage', async () => {
    const { database, begin, end } = await outages[engine]();
    const port = await freePort();
    const service = await startProcess(database, { METRICS_PORT: String(port), PHONE_CONFIRMATION: 'optional' });
    const read = async () => {
      const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
      const lines = text.split('\n').filter((line) => line && !line.startsWith('#'));
      return new Map(lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.split(' ').at(-1))]));
    };
    const browser = openClient(service.url);
    const person = form({ phone: '+49 1512 3456789' });
    await browser.post('/auth/register', person);
    await browser.post('/auth/refresh');
    await browser.post('/auth/phone/call', { phone: '+49 1512 3456789', locale: 'en' });
    await openClient(service.url).post('/auth/refresh');
    for (const secret of ['wrong one', 'wrong two', password]) {
      await openClient(service.url).post('/auth/login', { email: person.email, password: secret });
    }
    const { secret } = (await browser.post('/account/authenticator')).body;
    const code = codeOf(fromBase32(secret) as Buffer, stepAt(Date.now()));
    const { recovery_codes: recoveryCodes } = (await browser.post('/account/authenticator/confirm', { code })).body;
    const pending = openClient(service.url);
    await pending.post('/auth/login', { email: person.email, password });
    for (const proof of [{ code }, { recovery_code: recoveryCodes[0] }, { recovery_code: recoveryCodes[1] }])
      await pending.post('/auth/second-step', proof);
    await browser.get(`/no/such/page/${person.email}`);

    const all = await read();
    const requests = (method: string, route: string, status: number) =>
      all.get(`vestibule_request_seconds_count{method="${method}",route="${route}",status="${status}"}`);
    expect(requests('POST', '/auth/register', 201)).toBe(1);
    expect(requests('POST', '/auth/login', 401)).toBe(3);
    expect(requests('POST', '/auth/login', 200)).toBe(1);
    expect(requests('POST', '/auth/refresh', 200)).toBe(1);
    expect(requests('GET', '/*', 404)).toBe(1);
    expect(all.get('vestibule_sign_ins_total{amr="pwd"}')).toBe(1);
    expect(all.get('vestibule_sign_ins_total{amr="pwd otp mfa"}')).toBe(1);
    expect(all.get('vestibule_sign_ins_total{amr="mca hwk user mfa"}')).toBe(0);
    const secondSteps = (method: string, result: string) =>
      all.get(`vestibule_second_steps_total{method="${method}",result="${result}"}`);
    expect(secondSteps('authenticator', 'failed')).toBe(1);
    expect(secondSteps('recovery_code', 'succeeded')).toBe(1);
    expect(secondSteps('recovery_code', 'expired')).toBe(1);
    expect(secondSteps('passkey', 'limited')).toBe(0);
    const refusals = (route: string, code: string, reason = '') =>
      all.get(`vestibule_refusals_total{route="${route}",code="${code}",reason="${reason}"}`);
    expect(refusals('/auth/login', 'incorrect_login_or_password')).toBe(2);
    expect(refusals('/auth/refresh', 'session_ended', 'no_session')).toBe(1);
    expect(all.get('vestibule_gate_admitted_total')).toBe(5);
    expect(all.get('vestibule_gate_worked_seconds_total')).toBeGreaterThan(0);
    expect(all.get('vestibule_gate_waiting{lane="usual"}')).toBe(0);
    expect(all.get('vestibule_calls_total{provider="development",outcome="placed"}')).toBe(1);
    expect(all.get('vestibule_database_seconds_count{outcome="answered"}')).toBeGreaterThan(10);
    expect(all.get('vestibule_database_up')).toBe(1);
    expect(all.has('vestibule_database_connections{state="busy"}')).toBe(engine === 'postgres');
    expect(all.get('process_resident_memory_bytes')).toBeGreaterThan(1e7);
    expect(all.has('nodejs_eventloop_lag_p99_seconds')).toBe(true);
    expect([...all.keys()].join()).not.toContain(person.email);

    const named = [...all.keys()].map((key) => key.split('{', 1)[0]);
    // One exists only with PostgreSQL, the other only with BACKUP_DIR.
    const known = [
      ...named,
      'vestibule_certificate_expires_timestamp_seconds',
      'vestibule_database_connections',
      'vestibule_backup_timestamp_seconds',
    ];
    expect(asked.length).toBeGreaterThan(20);
    expect(asked.filter((name) => !known.includes(name))).toEqual([]);

    begin();
    expect((await openClient(service.url).post('/auth/recovery', { email: person.email, locale: 'en' })).status).toBe(
      503,
    );
    const meanwhile = await read();
    expect(meanwhile.get('vestibule_refusals_total{route="/auth/recovery",code="try_again_later",reason=""}')).toBe(1);
    expect(meanwhile.get('vestibule_database_up')).toBe(0);
    end();
  });
});

test.runIf(withPostgres)(
  'count what PostgreSQL refuses on a full disk, where a small write may still succeed',
  async () => {
    const database = await freshDatabase('postgres');
    const port = await freePort();
    const service = await startProcess(database, { METRICS_PORT: String(port), PHONE_CONFIRMATION: 'off' });
    const store = openTestStore(database);
    const full = sql`create function full_disk() returns trigger language plpgsql as
    $$ begin raise exception 'could not extend file' using errcode = 'disk_full'; end $$`;
    await full.execute(store);
    await sql`create trigger full_disk before insert on accounts execute function full_disk()`.execute(store);
    const counted = async () =>
      /^vestibule_database_full_total (\d+)$/m.exec(
        await (await fetch(`http://127.0.0.1:${port}/metrics`)).text(),
      )?.[1];
    expect(await counted()).toBe('0');
    expect((await openClient(service.url).post('/auth/register', form())).status).toBe(503);
    expect(Number(await counted())).toBeGreaterThan(0);
  },
);
