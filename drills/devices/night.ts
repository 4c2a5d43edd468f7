import { sql } from 'kysely';
import { days, hours, minutes } from '../../src/contract/units.ts';
import { evaluateAlarms } from '../../src/devices/alarms/evaluate-alarms.ts';
import { decideIncidents } from '../../src/devices/alarms/incidents/decide-incidents.ts';
import type { Engine } from '../../src/store/database.ts';
import { openTestNode, type TestNode } from '../../src/testing/test-node.ts';
import { type Drill, judged, type Row, type Stage } from '../drill.ts';
import { inParallel } from '../fixtures/visitors.ts';
import { addWithKey, createKey, type Device, openOwner } from './fleet.ts';

const fleet = 10_000;
/** Office computers, which are shut down at six. */
const office = 40;
/** Computers behind the switch that dies at three. */
const behindSwitch = 24;

/** From half past five until half past four, minute by minute; only the clock is not real. */
async function play(stage: Stage, engine: Engine): Promise<Row> {
  const evening = Math.ceil(Date.now() / days(1)) * days(1) + hours(17.5);
  const clock = { offset: evening - Date.now() };
  const node = await openTestNode({ database: await stage.fresh(engine), settings: {}, clock, timeBudget: minutes(5) });
  stage.atEnd(() => node.close());
  const owner = await openOwner(node);
  const when = { event: 'silent', after_minutes: 10 };
  const rule = { tags: [], computers: [], when, by: 'all', channels: [], at_end: true, remind_hours: null };
  const added = await owner.browser.post('/account/alarms/rules', rule);
  if (added.status !== 201) throw new Error(`no rule: ${JSON.stringify(added.body)}`);
  await owner.browser.put('/account/alarms/channels', { channel: 'call', after_minutes: 1 });
  const add = async (count: number, { tag, ip }: { tag: string; ip: string }) => {
    const key = await createKey(owner, { name: tag, max_uses: count, tags: [tag] });
    return inParallel(8, Array.from({ length: count }), (_, at) =>
      addWithKey(node.url, { key, name: `${tag} ${at}`, ip }),
    );
  };
  const offices = await add(office, { tag: 'Office', ip: '198.51.100.4' });
  const switched = await add(behindSwitch, { tag: 'Hamburg', ip: '203.0.113.7' });
  await addOthers(node, owner.id);
  await evaluateAlarms(node);

  let slowest = 0;
  const passUntil = async (end: number, alive: readonly Device[]) => {
    while (node.now() < end) {
      const isBeat = Math.round((node.now() - evening) / minutes(1)) % 5 === 0;
      if (isBeat) await inParallel(8, alive, ({ beat }) => beat({}));
      // One of them reports every minute: the service is reachable.
      await node.store
        .updateTable('computers')
        .set({ last_seen_at: node.now() })
        .where('platform', '=', other)
        .$if(!isBeat, (rows) => rows.where('id', '=', 'other1'))
        .execute();
      const began = performance.now();
      await evaluateAlarms(node);
      await decideIncidents(node);
      slowest = Math.max(slowest, performance.now() - began);
      clock.offset += minutes(1);
    }
  };
  await passUntil(evening + hours(0.5), [...offices, ...switched]);
  await Promise.all(offices.map(({ beat }) => beat({ goodbye: { reason: 'shutdown' } })));
  await passUntil(evening + hours(9.5), switched);
  const isDue = async () => (await messagesOf(node)).some(({ channel }) => channel === 'call');
  while (node.now() < evening + hours(10) && !(await isDue())) await passUntil(node.now() + minutes(1), []);
  const called = await eventually(async () => (await node.inbox?.calls.list())?.[0]);
  const link = new URL(called?.spoken?.match(/https:\S+/)?.[0] ?? 'https://none.invalid/');
  await fetch(`${node.url}${link.pathname}?Digits=1`);
  await passUntil(evening + hours(11), []);

  const { calls, mails } = await received(node, owner.email);
  const incidents = await node.store.selectFrom('incidents').selectAll().execute();
  const messages = await messagesOf(node);
  const computers = (await owner.read('/computers')).computers as { tags: string[]; off: unknown }[];
  const off = computers.filter(({ off: away, tags }) => away !== null && tags.includes('Office')).length;
  const [incident] = incidents;
  return judged(
    {
      engine,
      devices: fleet,
      incidents: incidents.length,
      'computers in it': incident?.announced ?? 0,
      emails: mails.length,
      calls: calls.length,
      'off, not silent': off,
      subject: mails[0]?.subject ?? '',
      'slowest evaluation (ms)': Math.round(slowest),
    },
    {
      'one incident': incidents.length === 1 && incident?.announced === behindSwitch && incident.tag === 'Hamburg',
      'one email': mails.length === 1,
      'one call, which acknowledges': calls.length === 1 && incident?.acknowledged_at !== null,
      'nothing else is on its way': messages.length === 2,
      'the office is off': off === office,
    },
  );
}

/** Marks the devices that report by SQL, since ten thousand for eleven hours are seven million requests. */
const other = 'drill';

async function addOthers(node: TestNode, accountId: string): Promise<void> {
  const now = node.now();
  await sql`insert into computers (id, account_id, name, platform, token_hash, created_at, last_seen_at, signs)
    with recursive n (n) as (select 1 union all select n + 1 from n where n < ${sql.lit(fleet - office - behindSwitch)})
    select 'other' || n, ${accountId}, 'PC ' || n, ${sql.lit(other)}, 'other' || n, ${sql.lit(now)}, ${sql.lit(now)}, ''
    from n`.execute(node.store);
}

const messagesOf = (node: TestNode) => node.store.selectFrom('alarm_messages').select('channel').execute();

async function received(node: TestNode, email: string) {
  const ids = (await node.inbox?.ids()) ?? [];
  const mails = await Promise.all(ids.map((id) => node.inbox?.read(id)));
  return {
    calls: (await node.inbox?.calls.list()) ?? [],
    mails: mails.flatMap((mail) => (mail?.to === email && /^Silent|^Resolved/.test(mail.subject) ? [mail] : [])),
  };
}

/** The worker that places calls has real time. */
async function eventually<Result>(look: () => Promise<Result | undefined>): Promise<Result | undefined> {
  for (const deadline = performance.now() + minutes(1); performance.now() < deadline; ) {
    const found = await look();
    if (found !== undefined) return found;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  return undefined;
}

export const drill: Drill = {
  promise:
    'After a night in which 40 of 10,000 computers were shut down and a switch died, there is one incident, one email, one call',
  maxConcurrent: 1,
  scenes: (['sqlite', 'postgres'] as const).map((engine) => ({
    name: engine,
    within: minutes(20),
    play: (stage) => play(stage, engine),
  })),
};
