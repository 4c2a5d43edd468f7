import { createHash } from 'node:crypto';
import { type KyselyPlugin, sql } from 'kysely';
import { describe, expect, test } from 'vitest';
import { days } from '../contract/units.ts';
import { engineOf, type Store } from '../store/database.ts';
import { addAuditEntry, redactAuditEntries, shortenAuditLog } from '../store/operators/audit-log.ts';
import { engines, freshStore } from '../testing/databases/databases.ts';
import { verifyAuditLog } from './audit-log.ts';
import { auditAlone } from './operation.ts';

const began = Date.UTC(2026, 10, 1);

/** Entries 1 to 5, the third of which is older than its predecessors: someone set the clock back. */
async function fill(store: Store) {
  for (const [at, day] of [0, 10, 5, 20, 30].entries()) {
    const operator = { kind: 'command', actor: 'alice', origin: 'host', reason: `reason ${at + 1}` } as const;
    const subject = 'a***@mail.example';
    await auditAlone(
      { store, operator, now: began + days(day) },
      { action: 'account_locked', accountId: `a${at + 1}`, subject },
    );
  }
  return verifyAuditLog(store, {});
}

/** What someone can do who may drop triggers. */
async function tamper(store: Store, statement: string) {
  await store.transaction().execute(async (trx) => {
    const isSqlite = engineOf(trx) === 'sqlite';
    for (const trigger of ['audit_log_unchanged', 'audit_log_kept'])
      await sql.raw(`drop trigger ${trigger}${isSqlite ? '' : ' on audit_log'}`).execute(trx);
    await sql.raw(statement).execute(trx);
  });
}

describe.each(engines)('the audit log, on %s,', (engine) => {
  test.each([
    "update audit_log set reason = 'another'",
    "update audit_log set subject = 'deleted', reason = null, salt = null, actor = 'bob'",
    "update audit_log set subject = 'deleted', reason = null, salt = null, subject_id = 'b'",
    'update audit_log set hash = null',
    'update audit_log set position = position + 1',
    'delete from audit_log',
    'delete from audit_log where position = 5',
    "insert into audit_checkpoints (position, hash, at) values (1, '', 0); delete from audit_checkpoints",
    ...(engine === 'postgres'
      ? ['truncate audit_log']
      : [
          "insert or replace into audit_log (id, at, actor, origin, action, subject) select id, 0, '', '', '', '' from audit_log",
        ]),
  ])('refuses: %s', async (statements) => {
    const store = await freshStore(engine);
    const { hash } = await fill(store);
    const work = store.transaction().execute(async (trx) => {
      for (const statement of statements.split('; ')) await sql.raw(statement).execute(trx);
    });
    await expect(work).rejects.toThrow(/the audit log keeps its entries|constraint/);
    expect(await verifyAuditLog(store, { including: hash })).toMatchObject({ entries: 5, faults: [], isFound: true });
  });

  test.each([
    ["update audit_log set actor = 'bob' where position = 2", [/^entry 2 .* was changed$/]],
    ["update audit_log set reason = 'another' where position = 2", [/^entry 2 .*its subject or reason was changed$/]],
    ["update audit_log set subject_id = 'b' where position = 2", [/^entry 2 .*its subject or reason was changed$/]],
    [
      "insert into audit_log (id, at, actor, origin, action, subject) values ('z', 0, '', '', '', '')",
      [/^entry z is not part of the chain$/],
    ],
    [
      "insert into audit_log (id, at, actor, origin, action, subject, hash) values ('z', 0, '', '', '', '', 'x')",
      [/^entry z is not part of the chain$/],
    ],
    [
      "insert into audit_log (id, at, actor, origin, action, subject, hash, position) values ('z', 0, '', '', '', '', 'x', 0)",
      [/^entry z is not part of the chain$/],
    ],
    [
      'delete from audit_log where position = 2',
      [/^entries between 1 and 3 are missing$/, /^entry 3 .*does not follow/],
    ],
    [
      'delete from audit_log where position = 1',
      [/^entries between 0 and 2 are missing$/, /^entry 2 .*does not follow/],
    ],
    [
      'update audit_log set position = 5 - position where position in (2, 3)',
      [/^entry 2/, /^entry 2/, /^entry 3/, /^entry 3/, /^entry 4/],
    ],
  ])('shows later: %s', async (statement, faults) => {
    const store = await freshStore(engine);
    await fill(store);
    await tamper(store, statement);
    const found = await verifyAuditLog(store, {});
    expect(found.faults).toEqual(faults.map((fault) => expect.stringMatching(fault)));
  });

  test('shows a second entry at a position, wherever that is', async () => {
    const store = await freshStore(engine);
    const entry = { at: began, actor_kind: 'command', actor: 'alice', origin: 'host', reason: null } as const;
    await store.transaction().execute(async (trx) => {
      for (let count = 0; count < 1002; count += 1)
        await addAuditEntry(trx, { ...entry, action: 'account_locked', account_id: null, subject: '' });
    });
    const columns = sql.raw('at, actor, origin, action, subject, hash, position, previous, salt, details');
    await sql`insert into audit_log (id, ${columns}) select 'z', ${columns} from audit_log where position = 1000`.execute(
      store,
    );
    expect((await verifyAuditLog(store, {})).faults.length).toBeGreaterThan(0);
  });

  test('lacks its newest entry: only who noted the hash finds out', async () => {
    const store = await freshStore(engine);
    const { hash } = await fill(store);
    await tamper(store, 'delete from audit_log where position = 5');
    expect(await verifyAuditLog(store, {})).toMatchObject({ entries: 4, faults: [], isFound: true });
    expect(await verifyAuditLog(store, { including: hash })).toMatchObject({ faults: [], isFound: false });
  });

  test('links entries that were written at the same time one after another', async () => {
    const store = await freshStore(engine);
    await Promise.all([fill(store), fill(store), fill(store)]);
    expect(await verifyAuditLog(store, {})).toMatchObject({ entries: 15, position: 15, faults: [] });
  });

  test('says nothing about a deleted person, and stays whole', async () => {
    const store = await freshStore(engine);
    await fill(store);
    await store.transaction().execute((trx) => redactAuditEntries(trx, 'a2'));
    const rows = await store.selectFrom('audit_log').selectAll().orderBy('position').execute();
    expect(rows[1]).toMatchObject({ account_id: 'a2', subject: 'deleted', reason: null, salt: null });
    expect(rows[2]).toMatchObject({ account_id: 'a3', subject: 'a***@mail.example', reason: 'reason 3' });
    expect((await verifyAuditLog(store, {})).faults).toEqual([]);
  });

  test('is shortened to what is not too old, and stays whole', async () => {
    const store = await freshStore(engine);
    const { hash } = await fill(store);
    const shorten = (day: number) => shortenAuditLog(store, { before: began + days(day), now: began + days(40) });
    expect(await shorten(0)).toBe(0);
    expect(await shorten(8)).toBe(1);
    expect(await verifyAuditLog(store, {})).toMatchObject({ entries: 4, removedUpTo: 1, faults: [] });
    expect(await shorten(35)).toBe(4);
    expect(await verifyAuditLog(store, { including: hash })).toMatchObject({ entries: 0, isFound: true, faults: [] });
    expect(await shorten(35)).toBe(0);
    await fill(store);
    expect(await verifyAuditLog(store, {})).toMatchObject({ entries: 5, position: 10, removedUpTo: 5, faults: [] });
  });

  test('is whole also for a check that runs while it is shortened', async () => {
    const store = await freshStore(engine);
    await fill(store);
    let shortened: Promise<number> | undefined;
    const shortening: KyselyPlugin = {
      transformQuery: ({ node }) => node,
      async transformResult({ result }) {
        shortened ??= shortenAuditLog(store, { before: began + days(25), now: began + days(40) });
        await shortened;
        return result;
      },
    };
    const verified = await verifyAuditLog(store.withPlugin(shortening), {});
    expect([await shortened, verified]).toEqual([4, expect.objectContaining({ entries: 1, faults: [] })]);
  });

  test('can be verified from its rows as the documents describe', async () => {
    const store = await freshStore(engine);
    await fill(store);
    const row = await store.selectFrom('audit_log').selectAll().where('position', '=', 3).executeTakeFirstOrThrow();
    const sha = (values: unknown[]) => createHash('sha256').update(JSON.stringify(values)).digest('hex');
    expect(row.details).toBe(sha([row.salt, row.subject, row.reason]));
    const { position, previous, id, at, actor_kind, actor, origin, action, account_id, details } = row;
    expect(row.hash).toBe(sha([position, previous, id, at, actor_kind, actor, origin, action, account_id, details]));
  });
});
