import { sql } from 'kysely';
import { beforeEach, describe, expect, test } from 'vitest';
import { days, hours, minutes, seconds } from '../../../contract/units.ts';
import { orderedId, type Store, type StoreTransaction } from '../../../store/database.ts';
import '../../../server/wings.ts';
import { silentFor } from '../../../testing/alarms.ts';
import { freshStore, usualEngines } from '../../../testing/databases/databases.ts';
import type { AlarmChannelName } from '../../contract/alarm-channels.ts';
import type { NewAlarmRule } from '../../contract/alarm-rules.ts';
import { forgetChannel, superseded } from '../../store/alarm-messages.ts';
import { setAlarmPlan } from '../../store/alarm-plans.ts';
import { muteComputer } from '../../store/alarms-due.ts';
import { removeComputer } from '../../store/computers.ts';
import { evaluateAlarms } from '../evaluate-alarms.ts';
import { decideIncidents } from './decide-incidents.ts';

const start = Date.UTC(2026, 2, 1);

/** An account with devices that fall silent after five minutes, and a service that runs all along. */
async function openAccount(store: Store) {
  let now = start;
  const clock = { store, now: () => now };
  const id = orderedId();
  await sql`insert into accounts (id, email, email_key, name, phone, locale, password_hash, password_changed_at, created_at,
      email_proven_at, phone_confirmed_at, mail_new_device)
    values (${id}, ${`${id}@mail.example`}, ${`${id}@mail.example`}, 'Ada', '+4915123456789', 'en', '', 1, 1, 1, 1, 1)`.execute(
    store,
  );
  const rules = [{ ...silentFor(5), id: 'silent' }];
  await store.transaction().execute((trx) => setAlarmPlan(trx, id, { rules }));
  const add = (names: readonly string[], { tags = '[]', address = null as string | null } = {}) =>
    store
      .insertInto('computers')
      .values(
        names.map((name) => ({
          ...({
            id: name,
            account_id: id,
            name,
            tags,
            address,
            platform: 'linux',
            kind: 'computer',
            version: null,
            token_hash: name,
          } as const),
          ...{ created_at: now, last_seen_at: now, signs: '', history: '', records_since_trim: 0, warnings: '' },
          ...{ left_at: null, left_for: null, returns_by: null, instances: '' },
          ...{ alarm_check_at: 0, alarm_silent_at: null, alarm_warnings: '', muted_until: 0 },
          ...{ alarm_events: '', alarm_limits: '', readings: '' },
        })),
      )
      .execute();
  await add(['alive']);
  let broken: AlarmChannelName | undefined;
  /** `nodes` judge every half minute; the devices report meanwhile, and one always does. */
  const pass = async (duration: number, alive: readonly string[] = [], nodes = 1) => {
    for (const end = now + duration; now < end; ) {
      now += seconds(30);
      await store
        .updateTable('computers')
        .set({ last_seen_at: now })
        .where('id', 'in', ['alive', ...alive])
        .execute();
      await Promise.all(
        Array.from({ length: nodes }, async () => {
          await evaluateAlarms(clock);
          await decideIncidents(clock);
        }),
      );
      // Whatever is due arrives, unless a test says otherwise.
      await store
        .updateTable('alarm_messages')
        .set({ sent_at: now, attempts: 1 })
        .where('sent_at', 'is', null)
        .where('gave_up_at', 'is', null)
        .where('due_at', '<=', now)
        .$if(broken !== undefined, (rows) => rows.where('channel', '!=', broken as AlarmChannelName))
        .execute();
    }
  };
  const messages = async () =>
    (await store.selectFrom('alarm_messages').selectAll().orderBy('id').execute())
      .filter(({ last_error }) => last_error !== superseded)
      .map(({ channel, event, turn }) => `${channel} ${event}${turn > 1 ? ` ${turn}` : ''}`);
  const incidents = () => store.selectFrom('incidents').selectAll().orderBy('id').execute();
  const channel = (name: 'sms' | 'call', after: number) =>
    store
      .insertInto('alarm_channels')
      .values({
        ...{
          account_id: id,
          channel: name,
          after_minutes: after,
          target: '',
          set_at: 0,
          broken: null,
          broken_at: null,
        },
      })
      .execute();
  const fail = async (name: AlarmChannelName) => {
    broken = name;
    await store
      .updateTable('alarm_messages')
      .set({ sent_at: null, gave_up_at: now, last_error: 'quota' })
      .where('channel', '=', name)
      .execute();
  };
  const acknowledge = async (ago = 0) => {
    await store
      .updateTable('incidents')
      .set({ acknowledged_at: now - ago })
      .execute();
    await store
      .updateTable('incident_members')
      .set({ joined_at: Math.min(now, now - ago) })
      .execute();
  };
  const setClock = (time: number) => {
    now = time;
  };
  // Nothing is reported in the first quarter of an hour.
  await pass(minutes(16));
  const change = <Result>(by: (trx: StoreTransaction) => Promise<Result>) => store.transaction().execute(by);
  const setRules = (known: Partial<NewAlarmRule>) =>
    change((trx) => setAlarmPlan(trx, id, { rules: [{ ...silentFor(5, known), id: 'silent' }] }));
  const setQuiet = (from: string, until: string) => change((trx) => setAlarmPlan(trx, id, { quiet: { from, until } }));
  const removeChannel = (name: AlarmChannelName) =>
    change((trx) => forgetChannel(trx, { account_id: id, channel: name, at: now }));
  const mute = (name: string, until: number) => change((trx) => muteComputer(trx, { id: name, until }));
  const remove = (name: string) => removeComputer(store, { id: name, accountId: id });
  /** Whether each is over, the oldest first. */
  const notifications = async () =>
    (
      await store.selectFrom('notifications').select('ended_at').where('account_id', '=', id).orderBy('id').execute()
    ).map(({ ended_at }) => (ended_at === null ? 'open' : 'over'));
  return {
    ...{ add, setRules, setQuiet, removeChannel, mute, remove, notifications },
    ...{ pass, messages, incidents, channel, fail, acknowledge, setClock, now: () => now },
  };
}

const names = (count: number, first = 0) => Array.from({ length: count }, (_, at) => `PC ${first + at}`);

describe.each(usualEngines)('an incident, on %s,', (engine) => {
  let account: Awaited<ReturnType<typeof openAccount>>;
  beforeEach(async () => {
    account = await openAccount(await freshStore(engine));
  });

  test('is repeated and ended as its rule says, by the channels of the rule only', async () => {
    await account.channel('sms', 0);
    await account.setRules({ by: 'chosen', channels: ['email'], remind_hours: 1, at_end: false });
    await account.add(['PC']);
    await account.pass(minutes(6 + 2 * 60 + 1));
    expect(await account.messages()).toEqual(['email began', 'email reminder', 'email reminder']);
    await account.acknowledge();
    await account.pass(minutes(75));
    await account.pass(minutes(5), ['PC']);
    expect(await account.messages()).toHaveLength(3);
    expect(await account.incidents()).toMatchObject([{ ended_at: expect.any(Number) }]);
  });

  test('over before anyone was told is told by email alone, when it ends', async () => {
    await account.channel('sms', 0);
    await account.add(['PC']);
    await account.pass(minutes(5.5));
    expect(await account.messages()).toEqual([]);
    expect(await account.incidents()).toMatchObject([{ announced: 0, ended_at: null }]);
    await account.pass(minutes(5), ['PC']);
    expect(await account.messages()).toEqual(['email ended']);
  });

  test('is one for all devices that fall silent together, with one message from two nodes', async () => {
    const { add, pass, messages, incidents } = account;
    await add(names(33), { tags: '["Hamburg","PC"]', address: '203.0.113.7' });
    await pass(minutes(7), [], 2);
    expect(await messages()).toEqual(['email began']);
    expect(await incidents()).toMatchObject([{ announced: 33, tag: 'Hamburg', address: '203.0.113.7' }]);
    await pass(minutes(3), names(33), 2);
    expect(await messages()).toEqual(['email began', 'email ended']);
    const [{ ended_at, began_at } = { ended_at: 0, began_at: 0 }] = await incidents();
    expect((ended_at ?? 0) - began_at).toBe(minutes(7.5));
  });

  test('is not about devices that fall silent at another time and place', async () => {
    const { add, pass, messages } = account;
    await add(['Front desk']);
    await pass(minutes(20));
    await add(['Server']);
    await pass(minutes(7));
    expect(await messages()).toEqual(['email began', 'email began']);
  });

  test('grows without a message until it is ten times as large', async () => {
    const { add, pass, messages } = account;
    await add(['PC 0'], { address: '203.0.113.7' });
    await pass(minutes(6.5));
    expect(await messages()).toEqual(['email began']);
    await add(names(8, 1), { address: '203.0.113.7' });
    await pass(minutes(7));
    expect(await messages()).toEqual(['email began']);
    await add(names(1, 9), { address: '203.0.113.7' });
    await pass(minutes(7));
    expect(await messages()).toEqual(['email began', 'email grew']);
  });

  test('of flapping devices says “unstable” once, and once what they have become', async () => {
    const { add, pass, messages, notifications } = account;
    await add(['PC 0']);
    for (let time = 0; time < 4; time += 1) {
      await pass(minutes(6.5));
      await pass(minutes(2), ['PC 0']);
    }
    expect(await messages()).toEqual(['email began', 'email ended', 'email unstable']);
    expect(await notifications()).toEqual(['over', 'over']);
    await pass(minutes(31), ['PC 0']);
    expect(await messages()).toEqual(['email began', 'email ended', 'email unstable', 'email ended']);
    expect(await notifications()).toEqual(['over', 'over']);
  });

  test('that stays silent after flapping says so once', async () => {
    const { add, pass, messages } = account;
    await add(['PC 0']);
    for (let time = 0; time < 2; time += 1) {
      await pass(minutes(6.5));
      await pass(minutes(2), ['PC 0']);
    }
    await pass(minutes(50));
    expect(await messages()).toEqual(['email began', 'email ended', 'email unstable', 'email settled']);
  });

  test('goes from channel to channel until somebody acknowledges, and rings three times', async () => {
    const { add, pass, messages, channel, acknowledge } = account;
    await channel('sms', 5);
    await channel('call', 10);
    await add(['PC 0']);
    await pass(minutes(6));
    expect(await messages()).toEqual(['email began']);
    await pass(minutes(5));
    expect(await messages()).toEqual(['email began', 'sms escalated']);
    await pass(minutes(30));
    const rung = ['call escalated', 'call escalated 2', 'call escalated 3'];
    expect(await messages()).toEqual(['email began', 'sms escalated', ...rung]);
    await acknowledge(hours(24) - minutes(5));
    await pass(minutes(4));
    expect(await messages()).toHaveLength(5);
    await pass(minutes(20));
    // A day later, it begins again.
    expect((await messages()).slice(5)).toEqual(['email reminder', 'sms escalated', ...rung]);
  });

  test('that is acknowledged in time rings nowhere, and says when further devices fall', async () => {
    const { add, pass, messages, channel, acknowledge } = account;
    await channel('call', 2);
    await add(['PC 0'], { address: '203.0.113.7' });
    await pass(minutes(6));
    await acknowledge();
    await pass(minutes(10));
    expect(await messages()).toEqual(['email began']);
    await add(['PC 1'], { address: '203.0.113.7' });
    await pass(minutes(6));
    expect(await messages()).toEqual(['email began', 'email grew']);
  });

  test('takes the next channel at once if one fails, and tells the owner by another', async () => {
    const { add, pass, messages, channel, fail } = account;
    await channel('sms', 5);
    await channel('call', 60);
    await add(['PC 0']);
    await pass(minutes(11.5));
    expect(await messages()).toEqual(['email began', 'sms escalated']);
    await fail('sms');
    await pass(seconds(30));
    expect(await messages()).toEqual(['email began', 'sms escalated', 'call escalated']);
    await fail('call');
    await pass(seconds(30));
    expect((await messages()).slice(3)).toEqual(['email undelivered']);
  });

  test('that was acknowledged while the clock was ahead is so from now on for a day, not for a year', async () => {
    const { add, pass, acknowledge, incidents, now } = account;
    await add(['PC 0']);
    await pass(minutes(7));
    await acknowledge(-days(365));
    await pass(minutes(1));
    const [{ acknowledged_at } = { acknowledged_at: null }] = await incidents();
    expect(acknowledged_at).toBeGreaterThan(now() - minutes(1));
    expect(acknowledged_at).toBeLessThanOrEqual(now());
  });

  test('of devices that fail together is announced with all, although their heartbeats are a minute apart', async () => {
    const { add, pass, messages, incidents } = account;
    await add(['PC 0']);
    await pass(minutes(1));
    await add(['PC 1']);
    await pass(minutes(7));
    expect(await messages()).toEqual(['email began']);
    expect(await incidents()).toMatchObject([{ announced: 2, first_size: 2 }]);
  });

  test('is not that of a device that was back for long, although others of it are still silent', async () => {
    const { add, pass, messages, notifications } = account;
    await add(['PC 0', 'PC 1']);
    await pass(minutes(7));
    await pass(minutes(70), ['PC 0']);
    expect(await messages()).toEqual(['email began']);
    await pass(minutes(7));
    expect(await messages()).toEqual(['email began', 'email began']);
    expect((await notifications()).sort()).toEqual(['open', 'open', 'over']);
  });

  describe('in quiet hours', () => {
    beforeEach(async () => {
      await account.setQuiet('00:20', '02:00');
      await account.setRules({ remind_hours: 1 });
      await account.channel('sms', 5);
      await account.add(['PC 0']);
      await account.pass(minutes(75));
    });

    test('is told once by each channel afterward, as it is then', async () => {
      await account.pass(minutes(45));
      expect(await account.messages()).toEqual(['email reminder', 'sms escalated']);
      await account.pass(minutes(5), ['PC 0']);
      expect((await account.messages()).slice(2).sort()).toEqual(['email ended', 'sms ended']);
    });

    test('and over before their end is no matter for a channel that told nothing of it', async () => {
      await account.pass(minutes(45), ['PC 0']);
      expect(await account.messages()).toEqual(['email ended']);
    });

    test('leaves by no channel that was removed meanwhile, and that one is no failure', async () => {
      await account.removeChannel('sms');
      await account.pass(minutes(45));
      expect(await account.messages()).toEqual(['email reminder']);
    });
  });

  test('is silent while all of its devices are muted, and goes on afterward', async () => {
    const { add, pass, messages, mute, channel, now } = account;
    await channel('sms', 5);
    await add(['PC 0']);
    await pass(minutes(7));
    expect(await messages()).toEqual(['email began']);
    await mute('PC 0', now() + hours(2));
    await pass(hours(2) - minutes(1));
    expect(await messages()).toEqual(['email began']);
    await pass(minutes(5));
    expect(await messages()).toEqual(['email began', 'sms escalated']);
  });

  test('of devices that were removed ends without a message: they are not back', async () => {
    const { add, pass, messages, remove, incidents } = account;
    await add(['PC 0', 'PC 1']);
    await pass(minutes(7));
    await remove('PC 0');
    await remove('PC 1');
    await pass(minutes(5));
    expect(await messages()).toEqual(['email began']);
    expect(await incidents()).toMatchObject([{ due_at: null, ended_at: expect.any(Number) }]);
  });

  test('ends once, also if it was acknowledged', async () => {
    const { add, pass, messages, acknowledge, incidents } = account;
    await add(['PC 0', 'PC 1']);
    await pass(minutes(7));
    await acknowledge();
    await pass(minutes(10), ['PC 0', 'PC 1']);
    expect(await messages()).toEqual(['email began', 'email ended']);
    expect((await incidents())[0]).toMatchObject({ due_at: null, seen_at: null });
  });

  test('follows a clock that was set back', async () => {
    const { add, pass, messages, setClock, now } = account;
    await add(['PC 0']);
    await pass(minutes(7));
    setClock(now() - days(2));
    await pass(minutes(20));
    expect(await messages()).toEqual(['email began']);
    await pass(minutes(3), ['PC 0']);
    expect(await messages()).toEqual(['email began', 'email ended']);
  });

  test('ends also if the clock is set back after the last device is back', async () => {
    const { add, pass, messages, setClock, now } = account;
    await add(['PC 0']);
    await pass(minutes(7));
    await pass(seconds(30), ['PC 0']);
    expect(await messages()).toEqual(['email began']);
    setClock(now() - days(2));
    await pass(minutes(3), ['PC 0']);
    expect(await messages()).toEqual(['email began', 'email ended']);
  });
});

const [fleet, owners] = [10_000, 200];
const rulesBy = (by: 'all' | 'chosen') => JSON.stringify([{ ...silentFor(60, { by }), id: 'silent' }]);
/** `n` counts the devices; owners with an even number want emails. */
async function fillFleet(store: Store): Promise<void> {
  const numbered = (max: number, text: ReturnType<typeof sql>) => {
    const { sql: statement } = text.compile(store);
    const at = statement.indexOf('select');
    const numbers = `with recursive n (n) as (select 0 union all select n + 1 from n where n < ${max - 1})`;
    return sql.raw(`${statement.slice(0, at)} ${numbers} ${statement.slice(at)}`).execute(store);
  };
  await numbered(
    owners,
    sql`insert into accounts (id, email, email_key, name, phone, locale, password_hash, password_changed_at, created_at,
        email_proven_at)
      select 'a' || n, 'e' || n || '@example.com', 'e' || n || '@example.com', 'Anna', '+49', 'de', 'hash',
        ${sql.lit(start)}, ${sql.lit(start)}, ${sql.lit(start)} from n`,
  );
  await numbered(
    owners,
    sql`insert into alarm_plans (account_id, rules)
      select 'a' || n, case when n % 2 = 0 then ${sql.lit(rulesBy('all'))} else ${sql.lit(rulesBy('chosen'))} end from n`,
  );
  await numbered(
    fleet,
    sql`insert into computers (id, account_id, name, platform, token_hash, created_at, last_seen_at, signs)
      select 'p' || n, 'a' || (n % ${sql.lit(owners)}), 'PC ' || n, 'linux', 't' || n, ${sql.lit(start)},
        ${sql.lit(start)} - n % 60000, '' from n`,
  );
}

/** Five devices of each of 100 owners, half of whom want emails. */
const isSilent = (n: number) => n < 1000 && n % 4 < 2;
const silentNames = Array.from({ length: fleet }, (_, n) => n)
  .filter(isSilent)
  .map((n) => `PC ${n}`);

describe.each(usualEngines)('10,000 devices of 200 owners, of which 500 fall silent together, on %s,', (engine) => {
  test('cause one notification for each of the 500, and one incident and at most one email for each owner', {
    tags: 'full',
  }, async () => {
    const store = await freshStore(engine);
    await fillFleet(store);
    let now = start;
    const evaluate = async () => {
      await evaluateAlarms({ store, now: () => now });
      await decideIncidents({ store, now: () => now });
    };
    for (let passed = 0; passed < minutes(70); passed += minutes(1)) {
      now += minutes(1);
      // The others send signals only once, which takes less time; one device shows that the service is reachable.
      await sql`update computers set last_seen_at = ${now} where name = 'PC 9999'`.execute(store);
      if (passed === minutes(50))
        await sql`update computers set last_seen_at = ${now} where name not in (${sql.join(silentNames)})`.execute(
          store,
        );
      // Two nodes evaluate in parallel.
      await Promise.all([evaluate(), evaluate()]);
    }
    const notifications = await store.selectFrom('notifications').select(['name', 'kind']).execute();
    expect(notifications.map(({ name }) => name).sort()).toEqual(silentNames.toSorted());
    expect(new Set(notifications.map(({ kind }) => kind))).toEqual(new Set(['computer_silent']));
    const messages = await store.selectFrom('alarm_messages').select(['account_id', 'event']).execute();
    expect(new Set(messages.map(({ account_id }) => account_id)).size).toBe(50);
    expect(messages.map(({ event }) => event)).toEqual(Array.from({ length: 50 }, () => 'began'));
    const incidents = await store.selectFrom('incidents').select('first_size').execute();
    expect(incidents.map(({ first_size }) => first_size)).toEqual(Array.from({ length: 100 }, () => 5));
  });
});
