import { execFile, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { inProject } from '../../bin/steps/places.mjs';
import { hours, minutes } from '../../src/contract/units.ts';
import { evaluateAlarms } from '../../src/devices/alarms/evaluate-alarms.ts';
import { decideIncidents } from '../../src/devices/alarms/incidents/decide-incidents.ts';
import type { Engine } from '../../src/store/database.ts';
import { openTestNode } from '../../src/testing/test-node.ts';
import { type Drill, judged, type Row, type Stage } from '../drill.ts';
import { endsWithUs } from '../fixtures/service.ts';
import { inParallel, registerPerson } from '../fixtures/visitors.ts';
import { addWithKey, createKey, openOwner } from './fleet.ts';

const agent = inProject('dist', 'agent', 'vestibule-agent.mjs');
const office = 60;
/** Sixty processes of the agent are too many for one machine: the others use its protocol. */
const real = 5;

/** From an empty service to sixty computers that report, with one key. */
async function addSixty(stage: Stage, engine: Engine): Promise<Row> {
  const { url } = await stage.start({ database: await stage.fresh(engine) });
  const folder = mkdtempSync(join(tmpdir(), 'vestibule-drill-agents-'));
  stage.atEnd(() => rmSync(folder, { recursive: true, force: true }));
  const began = performance.now();
  const { browser } = await registerPerson(url);
  const key = await createKey({ browser }, { name: 'Office', max_uses: office, tags: ['Office'] });
  const addReal = async (at: number) => {
    const data = ['--data', join(folder, `${at}`)];
    // Scripts repeat the command.
    for (let time = 0; time < 2; time += 1)
      await promisify(execFile)(process.execPath, [
        agent,
        'enrol',
        key,
        '--server',
        url,
        '--name',
        `PC ${at}`,
        ...data,
      ]);
    endsWithUs(spawn(process.execPath, [agent, 'run', ...data], { stdio: 'ignore' }));
  };
  const addOther = async (at: number) => {
    const device = await addWithKey(url, { key, name: `PC ${at}`, ip: '198.51.100.4' });
    await device.beat({ platform: 'linux', version: '1.3.0', instance: `${at}` });
  };
  await inParallel(office, Array.from({ length: office }), (_, at) => (at < real ? addReal(at) : addOther(at)));
  const listed = async () => (await browser.get('/computers')).body.computers as { name: string; version: string }[];
  const reporting = async () => (await listed()).filter(({ version }) => version !== null).length;
  for (const deadline = began + minutes(5); performance.now() < deadline && (await reporting()) < office; )
    await new Promise((resolve) => setTimeout(resolve, 200));
  const names = (await listed()).map(({ name }) => name);
  return judged(
    {
      scene: 'sixty computers',
      engine,
      computers: names.length,
      reporting: await reporting(),
      seconds: Math.round((performance.now() - began) / 1000),
    },
    {
      'each is in the list once': names.length === office && new Set(names).size === office,
      'all report': (await reporting()) === office,
      'within ten minutes': performance.now() - began < minutes(10),
    },
  );
}

const fleet = 2000;
/** As `bin/agent/update.mjs` looks for updates, and as its service manager starts it again. */
const looksEvery = hours(6) / minutes(1);

/** An update for ten percent of the fleet, and after six hours for all, minute by minute; only the clock is not real. */
async function update(stage: Stage, engine: Engine): Promise<Row> {
  const clock = { offset: 0 };
  const settings = { COMPUTERS_PER_ACCOUNT: `${fleet}` };
  const node = await openTestNode({ database: await stage.fresh(engine), settings, clock, timeBudget: minutes(5) });
  stage.atEnd(() => node.close());
  const folder = join(node.config.DATA_DIR, 'agents');
  mkdirSync(folder);
  const publish = (name: string, text: string) => writeFileSync(join(folder, name), text);
  for (const name of ['key.pem', 'SHA256SUMS', 'SHA256SUMS.sig']) publish(name, name);
  const owner = await openOwner(node);
  const key = await createKey(owner, { name: 'All', max_uses: fleet, tags: [] });
  const devices = await inParallel(16, Array.from({ length: fleet }), async (_, at) => ({
    ...(await addWithKey(node.url, { key, name: `PC ${at}`, ip: '198.51.100.4' })),
    looksAt: Math.floor(Math.random() * looksEvery),
    isUpdated: false,
  }));
  await evaluateAlarms(node);
  let gone: typeof devices = [];
  let fewest = fleet;
  let slowest = 0;
  const updated = [0, 0];
  for (const [stageOf, share] of [10, 100].entries()) {
    publish('share', `${share}`);
    for (let minute = 0; minute < looksEvery; minute += 1) {
      clock.offset += minutes(1);
      await inParallel(8, gone, ({ beat }) => beat({ version: 'new' }));
      await node.store.updateTable('computers').set({ last_seen_at: node.now() }).execute();
      const looking = devices.filter(({ looksAt, isUpdated }) => looksAt === minute && !isUpdated);
      const offered = await inParallel(8, looking, async (device) => {
        const { body } = await device.send('GET', '/computers/agents/update', {});
        if (body.sums === null) return [];
        await device.beat({ goodbye: { reason: 'update', returns_in: 900 } });
        return [Object.assign(device, { isUpdated: true })];
      });
      gone = offered.flat();
      updated[stageOf] = (updated[stageOf] ?? 0) + gone.length;
      const { here } = await node.store
        .selectFrom('computers')
        .select(({ fn }) => fn.countAll<number | string>().as('here'))
        .where((row) => row.or([row('left_at', 'is', null), row('left_at', '!=', row.ref('last_seen_at'))]))
        .where('last_seen_at', '>', node.now() - minutes(30))
        .executeTakeFirstOrThrow();
      fewest = Math.min(fewest, Number(here));
      const began = performance.now();
      await evaluateAlarms(node);
      await decideIncidents(node);
      slowest = Math.max(slowest, performance.now() - began);
    }
  }
  const alarms = await node.store
    .selectFrom('notifications')
    .selectAll()
    .where('kind', '!=', 'computer_added')
    .execute();
  return judged(
    {
      scene: 'update',
      engine,
      computers: fleet,
      'updated at first': updated[0] ?? 0,
      'updated then': updated[1] ?? 0,
      'fewest reporting (%)': ((100 * fewest) / fleet).toFixed(2),
      alarms: alarms.length,
      'slowest evaluation (ms)': Math.round(slowest),
    },
    {
      'the share is about ten percent': (updated[0] ?? 0) > fleet * 0.07 && (updated[0] ?? 0) < fleet * 0.13,
      'then all have it': devices.every(({ isUpdated }) => isUpdated),
      'never fewer than 99 % report': fewest >= fleet * 0.99,
      'no alarm': alarms.length === 0,
    },
  );
}

export const drill: Drill = {
  promise: 'One key adds sixty computers in minutes, and an update of the agent reaches a fleet without an alarm',
  maxConcurrent: 1,
  scenes: (['sqlite', 'postgres'] as const).flatMap((engine) => [
    { name: `sixty-${engine}`, within: minutes(20), play: (stage: Stage) => addSixty(stage, engine) },
    { name: `update-${engine}`, within: minutes(20), play: (stage: Stage) => update(stage, engine) },
  ]),
};
