import { randomUUID } from 'node:crypto';
import { type Kysely, sql } from 'kysely';

/**
 * The rules of an account are one list. Older code goes on with `alarm_rules`, `alarm_tag_rules` and `alarm_overrides`: what
 * owners change there after this step is not taken over. A later release drops these tables.
 */
export const oldestCode = '0001-baseline';
type Any = Kysely<any>;

export async function up(db: Any): Promise<void> {
  for (const [table, column] of columns)
    await sql`alter table ${sql.table(table)} add column ${sql.raw(column)}`.execute(db);
}

const columns = [
  ['alarm_plans', 'quiet text'],
  ['computers', 'muted_until bigint not null default 0'],
  ['computers', "alarm_events text not null default ''"],
  ['computers', "alarm_limits text not null default ''"],
  ['incident_members', "rule text not null default ''"],
] as const;

/** Accounts in one batch. */
const batchSize = 500;
const never = 36_500 * 86_400_000;
const loud = ['push', 'sms', 'call'];

export async function upOnline(db: Any): Promise<void> {
  for (let after = ''; ; ) {
    const { rows } = await sql<{ id: string }>`
      select account_id as id from (select account_id from alarm_rules union select account_id from alarm_tag_rules
        union select account_id from alarm_overrides) as chosen
      where account_id > ${after} order by account_id limit ${batchSize}`.execute(db);
    const ids = rows.map(({ id }) => id);
    if (ids.length === 0) return;
    await takeOver(db, ids);
    after = ids.at(-1) ?? '';
  }
}

interface Former {
  readonly account_id: string;
  readonly silent_after: number;
  readonly disk_low: number | null;
  readonly battery_low: number | null;
}
interface OfAccount extends Former {
  readonly by_email: number;
  readonly quiet_from: number | null;
  readonly quiet_until: number | null;
}
type OfTag = Former & { readonly tag_json: string };
type OfComputer = Former & { readonly computer_id: string; readonly muted_until: number };

const usual = {
  silent_after: 3_600_000,
  disk_low: 1,
  battery_low: 1,
  by_email: 1,
  quiet_from: null,
  quiet_until: null,
};

async function takeOver(db: Any, ids: readonly string[]): Promise<void> {
  const rows = async <Row extends Former>(table: string) =>
    (await db.selectFrom(table).selectAll().where('account_id', 'in', ids).execute()) as unknown as Row[];
  const accounts = await rows<OfAccount>('alarm_rules');
  const tags = Map.groupBy(await rows<OfTag>('alarm_tag_rules'), ({ account_id }) => account_id);
  const computers = Map.groupBy(await rows<OfComputer>('alarm_overrides'), ({ account_id }) => account_id);
  for (const id of ids) {
    const own = accounts.find(({ account_id }) => account_id === id) ?? { ...usual, account_id: id };
    const { quiet_from: from, quiet_until: until } = own;
    const chosen = {
      rules: rulesOf({ own, tags: tags.get(id) ?? [], computers: computers.get(id) ?? [] }),
      quiet: from === null || until === null ? null : JSON.stringify({ from: clock(from), until: clock(until) }),
    };
    await db
      .insertInto('alarm_plans')
      .values({ account_id: id, pauses: '[]', ...chosen })
      .onConflict((conflict) => conflict.column('account_id').doUpdateSet(chosen))
      .execute();
    for (const { computer_id, muted_until } of computers.get(id) ?? [])
      if (muted_until > 0)
        await db.updateTable('computers').set({ muted_until }).where('id', '=', computer_id).execute();
  }
}

interface Chosen {
  readonly own: OfAccount;
  readonly tags: readonly OfTag[];
  readonly computers: readonly OfComputer[];
}

/** A computer’s own rules came first, then the strictest of its tags, then those of the account. Null: as usual. */
function rulesOf({ own, tags, computers }: Chosen): string | null {
  const named = computers.filter(({ silent_after }) => silent_after !== null);
  const isUsual =
    own.silent_after === usual.silent_after && own.disk_low === 1 && own.battery_low === 1 && own.by_email === 1;
  if (isUsual && named.length === 0 && tags.length === 0) return null;
  const how = own.by_email === 1 ? { by: 'all', channels: [] } : { by: 'chosen', channels: loud };
  const list = (
    wishOf: (rules: Former) => number,
    {
      strictest,
      isAlarm,
      when,
    }: { strictest: 1 | -1; isAlarm: (value: number) => boolean; when: (value: number) => object },
  ) => {
    const ordered = [...Map.groupBy(tags, wishOf)].sort(([one], [other]) => strictest * (one - other));
    const all = [
      ...[...Map.groupBy(named, wishOf)].map(([value, rules]) => ({
        ...{ value, tags: [], computers: rules.map(({ computer_id }) => computer_id) },
      })),
      ...ordered.map(([value, rules]) => ({
        ...{ value, computers: [], tags: rules.map(({ tag_json }) => JSON.parse(tag_json) as string) },
      })),
      { value: wishOf(own), tags: [], computers: [] },
    ];
    const differs = all.some(({ value }) => value !== wishOf(own));
    return (differs ? all : all.slice(-1)).map(({ value, ...scope }) => ({
      ...{ id: randomUUID(), ...scope, when: when(value) },
      ...(isAlarm(value) ? how : { by: 'none', channels: [] }),
      ...{ at_end: true, remind_hours: null },
    }));
  };
  const low = (value: 'disk' | 'battery', limit: number) =>
    list((rules) => rules[`${value}_low`] ?? 1, {
      strictest: -1,
      isAlarm: (wanted) => wanted === 1,
      when: () => ({ event: 'value', value, is: 'below', limit, for_minutes: 0 }),
    });
  const silent = list(({ silent_after }) => silent_after, {
    strictest: 1,
    isAlarm: (after) => after < never,
    when: (after) => ({ event: 'silent', after_minutes: after < never ? after / 60_000 : 60 }),
  });
  return JSON.stringify([...silent, ...low('disk', 5), ...low('battery', 15)]);
}

const clock = (minute: number): string =>
  [Math.floor(minute / 60), minute % 60].map((part) => String(part).padStart(2, '0')).join(':');
