import { sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { minutes } from '../../contract/units.ts';
import type { Store } from '../../store/database.ts';
import '../../server/wings.ts';
import { silentFor } from '../../testing/alarms.ts';
import { freshStore, usualEngines } from '../../testing/databases/databases.ts';
import { evaluateAlarms } from './evaluate-alarms.ts';
import { decideIncidents } from './incidents/decide-incidents.ts';

const start = Date.UTC(2026, 10, 21, 12);
const devices = 10_000;
const owners = 200;
const rules = (by: 'all' | 'chosen') => JSON.stringify([{ ...silentFor(60, { by }), id: 'silent' }]);
/** `n` counts the devices; owners with an even number want emails. */
async function fill(store: Store): Promise<void> {
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
      select 'a' || n, case when n % 2 = 0 then ${sql.lit(rules('all'))} else ${sql.lit(rules('chosen'))} end from n`,
  );
  await numbered(
    devices,
    sql`insert into computers (id, account_id, name, platform, token_hash, created_at, last_seen_at, signs)
      select 'p' || n, 'a' || (n % ${sql.lit(owners)}), 'PC ' || n, 'linux', 't' || n, ${sql.lit(start)},
        ${sql.lit(start)} - n % 60000, '' from n`,
  );
}

/** Five devices of each of 100 owners, half of whom want emails. */
const isSilent = (n: number) => n < 1000 && n % 4 < 2;
const silentNames = Array.from({ length: devices }, (_, n) => n)
  .filter(isSilent)
  .map((n) => `PC ${n}`);

describe.each(usualEngines)('10,000 devices of 200 owners, of which 500 fall silent together, on %s,', (engine) => {
  test('cause one notification for each of the 500, and one incident and at most one email for each owner', async () => {
    const store = await freshStore(engine);
    await fill(store);
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
