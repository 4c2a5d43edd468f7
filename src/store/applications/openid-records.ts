import { minutes } from '../../contract/units.ts';
import { openLookup } from '../batching.ts';
import { hasRow, type Store } from '../database.ts';
import { repeatableFor, singleUse } from '../single-use.ts';

/** Codes, tokens and pending requests of applications, by a hash of their secret. */
export interface OpenIdRecordsTable {
  /** SHA-256 of kind and secret. */
  key: string;
  /** JSON, without the secret. */
  payload: string;
  grant_id: string | null;
  /** SHA-256 of the code that a person types for a device. */
  user_code: string | null;
  consumed_at: number | null;
  expires_at: number;
}

declare module '../database.ts' {
  interface Database {
    openid_records: OpenIdRecordsTable;
    forward_auth_codes: ForwardAuthCodesTable;
  }
}

type NewRecord = Omit<OpenIdRecordsTable, 'consumed_at'>;

const recordsByKey = openLookup('key', (store, isKey) =>
  store.selectFrom('openid_records').selectAll().where(isKey('key')),
);

export async function findRecord(store: Store, { key, now }: { key: string; now: number }) {
  const [record] = await recordsByKey(store, key);
  return record && record.expires_at > now ? record : undefined;
}

export const findRecordByUserCode = (store: Store, { userCode, now }: { userCode: string; now: number }) =>
  store
    .selectFrom('openid_records')
    .selectAll()
    .where('user_code', '=', userCode)
    .where('expires_at', '>', now)
    .executeTakeFirst();

/** Adds a record, or changes the payload and end of the one with its key. */
export const saveRecord = (store: Store, record: NewRecord) =>
  store
    .insertInto('openid_records')
    .values({ ...record, consumed_at: null })
    .onConflict((conflict) =>
      conflict.column('key').doUpdateSet({ payload: record.payload, expires_at: record.expires_at }),
    )
    .execute();

/** Adds a record, unless one with its key exists. */
export const addRecord = (store: Store, record: NewRecord) =>
  store
    .insertInto('openid_records')
    .values({ ...record, consumed_at: null })
    .onConflict((conflict) => conflict.column('key').doNothing())
    .execute();

/** Sets the payload of a record that is neither consumed nor decided; true for exactly one of several parallel callers. */
export const replacePayload = (
  store: Store,
  { key, from, to, grantId }: { key: string; from: string; to: string; grantId: string | null },
): Promise<boolean> =>
  hasRow(
    store
      .updateTable('openid_records')
      .set({ payload: to, grant_id: grantId })
      .where('key', '=', key)
      .where('payload', '=', from)
      .where('consumed_at', 'is', null)
      .returning('key'),
  );

interface Consumed {
  readonly key: string;
  /** Records that nothing needs any longer once this one is used. */
  readonly parents: readonly string[];
  readonly now: number;
}

/** Consumes a record; true for exactly one of several parallel callers, on all nodes. The clean-up deletes its parents. */
export async function consumeRecord(store: Store, { key, parents, now }: Consumed): Promise<boolean> {
  const changed = await store
    .updateTable('openid_records')
    .set((record) => ({
      consumed_at: now,
      expires_at: record.case().when('key', '=', key).then(record.ref('expires_at')).else(now).end(),
    }))
    .where((record) =>
      record.or([
        record.and([record('key', '=', key), record('consumed_at', 'is', null)]),
        ...(parents.length > 0 ? [record('key', 'in', parents)] : []),
      ]),
    )
    .returning('key')
    .execute();
  return changed.some((record) => record.key === key);
}

export async function payloadsOfGrant(store: Store, { grantId, now }: { grantId: string; now: number }) {
  const rows = await store
    .selectFrom('openid_records')
    .select('payload')
    .where('grant_id', '=', grantId)
    .where('expires_at', '>', now)
    .execute();
  return rows.map(({ payload }) => payload);
}

/** Restarts the grace period of a consumed record. */
export const consumeAgain = (store: Store, { key, now }: { key: string; now: number }) =>
  store.updateTable('openid_records').set({ consumed_at: now }).where('key', '=', key).execute();

/** Ends a record that its browser may still repeat for a minute. */
export const finishRecord = (store: Store, { key, now }: { key: string; now: number }) =>
  store
    .updateTable('openid_records')
    .set({ consumed_at: now, expires_at: now + repeatableFor })
    .where('key', '=', key)
    .where('consumed_at', 'is', null)
    .execute();

export const removeRecord = (store: Store, key: string) =>
  store.deleteFrom('openid_records').where('key', '=', key).execute();

/** Brings a session to the host of an application, in the browser that began there. */
interface ForwardAuthCodesTable {
  /** SHA-256 of the code. */
  hash: string;
  session_id: string;
  client_id: string;
  origin: string;
  /** SHA-256 of the cookie of the browser that began there. */
  nonce_hash: string;
  created_at: number;
}

/** The browser uses it immediately. */
const codeLifetime = minutes(1);

export const forwardAuthCodes = singleUse('forward_auth_codes', { lifetime: codeLifetime, keeps: false });
