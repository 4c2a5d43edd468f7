// Measures whether response times reveal who has an account: `node bench/disclosure.ts [--postgres] [--rounds 40]`.
// A round takes the median of 60 responses for an address with an account and of 60 for one without. The output is how
// often the account's median is the greater one, as the area under the ROC curve: 0.5 reveals nothing, 1 everything.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { openClient } from '../src/testing/client.ts';
import { startPostgres } from '../src/testing/databases/postgres.ts';
import { openTestNode } from '../src/testing/test-node.ts';

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '40' }, postgres: { type: 'boolean' } },
});
const rounds = Number(values.rounds);
const responses = 60;

const median = (times: readonly number[]) => [...times].sort((a, b) => a - b)[times.length >> 1] as number;

/** How often one of `a` is greater than one of `b`, a tie counting half. */
function areaUnderCurve(a: readonly number[], b: readonly number[]): number {
  let greater = 0;
  for (const x of a) for (const y of b) greater += (Math.sign(x - y) + 1) / 2;
  return greater / (a.length * b.length);
}

const dataDir = mkdtempSync(join(tmpdir(), 'vestibule-bench-'));
const postgres = values.postgres ? await startPostgres() : undefined;
const clock = { offset: 0 };
const node = await openTestNode({ database: { dataDir, databaseUrl: postgres?.url }, settings: {}, clock });

const person = {
  name: 'Anna Berg',
  email: 'anna@example.com',
  phone: '+49 1512 3456789',
  password: 'rain under tin roofs',
  password_repeat: 'rain under tin roofs',
  consent_personal_data: true,
  locale: 'en',
};
await openClient(node.url).post('/auth/register', person);
const stranger = openClient(node.url);
await stranger.post('/auth/register', { ...person, email: 'stranger@example.com' });
const own = stranger.cookies.get('__Host-device') ?? '';

const devices = [
  ['no device', undefined],
  ['an unknown device', 'x'.repeat(43)],
  ['a device of another user', own],
] as const;

for (const isLocked of [true, false]) {
  for (const [name, device] of devices) {
    const browser = openClient(node.url);
    await browser.get('/auth/csrf');
    if (device) browser.cookies.set('__Host-device', device);
    const ask = async (email: string) => {
      const began = performance.now();
      await browser.post('/auth/login', { email, password: 'wrong one' });
      return performance.now() - began;
    };
    const medians = { known: [] as number[], unknown: [] as number[] };
    for (let round = 0; round < rounds; round += 1) {
      const times = { known: [] as number[], unknown: [] as number[] };
      if (!isLocked) clock.offset += 24 * 3_600_000;
      for (let time = 0; time < responses; time += 1) {
        // Alternates, so that other load on this machine affects both; the clock skips ahead before a lockout starts.
        if (!isLocked && time % 4 === 0) clock.offset += 13 * 3_600_000;
        const order = time % 2 ? (['known', 'unknown'] as const) : (['unknown', 'known'] as const);
        for (const which of order)
          times[which].push(await ask(which === 'known' ? person.email : 'nobody@example.com'));
      }
      if (round > 0) for (const which of ['known', 'unknown'] as const) medians[which].push(median(times[which]));
    }
    const area = areaUnderCurve(medians.known, medians.unknown);
    process.stdout.write(`${isLocked ? 'locked' : 'open  '}  ${name.padEnd(26)} ${area.toFixed(2)}\n`);
  }
}
await node.close();
await postgres?.stop();
rmSync(dataDir, { recursive: true, force: true });
