import { sql } from 'kysely';
import { days } from '../../contract/units.ts';
import { hasRow, type Store, type StoreTransaction } from '../database.ts';
import type { Visitor } from '../visitor.ts';

/** How long a browser that signed in stays known. */
export const deviceLifetime = days(365);

/** A browser that has signed in to an account before: it has a secret cookie, and we store its SHA-256. */
export interface DevicesTable {
  token_hash: string;
  account_id: string;
  created_at: number;
  last_seen_at: number;
  /** Address and browser of its last sign-in. */
  ip: string | null;
  user_agent: string | null;
  /** Until when (ms since the epoch) this browser needs no second step to sign in to the account. */
  remembered_until: number | null;
}

declare module '../database.ts' {
  interface Database {
    devices: DevicesTable;
  }
}

const isKnownDevice = (
  store: Store,
  { tokenHash, accountId, since }: { tokenHash: string; accountId: string; since: number },
): Promise<boolean> =>
  hasRow(
    store
      .selectFrom('devices')
      .select('token_hash')
      .where('token_hash', '=', tokenHash)
      .where('account_id', '=', accountId)
      .where('last_seen_at', '>', since),
  );

interface Presented {
  /** Hash of the browser's device token, if it has one. */
  readonly deviceHash: string | undefined;
  readonly account: { readonly id: string } | undefined;
  readonly now: number;
}

/** The device's hash if the account knows it, otherwise undefined. */
export async function knownDeviceOf(store: Store, { deviceHash, account, now }: Presented) {
  if (deviceHash === undefined || account === undefined) return undefined;
  const known = await isKnownDevice(store, {
    tokenHash: deviceHash,
    accountId: account.id,
    since: now - deviceLifetime,
  });
  return known ? deviceHash : undefined;
}

/** The accounts that a browser has signed in to. */
export const accountsOfDevice = (store: Store, { tokenHash, since }: { tokenHash: string; since: number }) =>
  store
    .selectFrom('devices')
    .innerJoin('accounts', 'accounts.id', 'devices.account_id')
    .select(['accounts.id', 'accounts.phone', 'accounts.phone_confirmed_at', 'accounts.email_proven_at'])
    .where('devices.token_hash', '=', tokenHash)
    .where('devices.last_seen_at', '>', since)
    .execute();

/** Forgets an account's known devices, except for the one that stays. */
export const forgetOtherDevices = (
  trx: StoreTransaction,
  { accountId, except }: { accountId: string; except: string | undefined },
) =>
  trx
    .deleteFrom('devices')
    .where('account_id', '=', accountId)
    .$if(except !== undefined, (devices) => devices.where('token_hash', '!=', except as string))
    .execute();

/** Forgets one device; true if it was the account's. */
export const forgetDevice = (
  trx: StoreTransaction,
  { accountId, tokenHash }: { accountId: string; tokenHash: string },
): Promise<boolean> =>
  hasRow(
    trx
      .deleteFrom('devices')
      .where('token_hash', '=', tokenHash)
      .where('account_id', '=', accountId)
      .returning('token_hash'),
  );

interface SkippingSecondStep {
  readonly tokenHash: string;
  readonly accountId: string;
  readonly now: number;
}

/** How long a known device needs no second step after its owner chose this. */
const rememberedFor = days(30);

/** Whether a known device needs no second step for this account. */
export const isRemembered = (store: Store, { tokenHash, accountId, now }: SkippingSecondStep): Promise<boolean> =>
  hasRow(
    store
      .selectFrom('devices')
      .select('token_hash')
      .where('token_hash', '=', tokenHash)
      .where('account_id', '=', accountId)
      .where('remembered_until', '>', now),
  );

/** Lets a known device skip the second step for 30 days. */
export const skipSecondStep = (trx: StoreTransaction, { tokenHash, accountId, now }: SkippingSecondStep) =>
  trx
    .updateTable('devices')
    .set({ remembered_until: now + rememberedFor })
    .where('token_hash', '=', tokenHash)
    .where('account_id', '=', accountId)
    .execute();

/** Number of known devices that need no second step. */
export async function countRemembered(
  store: Store,
  { accountId, now }: { accountId: string; now: number },
): Promise<number> {
  const { count } = await store
    .selectFrom('devices')
    .select((device) => device.fn.countAll<number | string>().as('count'))
    .where('account_id', '=', accountId)
    .where('remembered_until', '>', now)
    .executeTakeFirstOrThrow();
  return Number(count);
}

/** Makes every known device need the second step again. Returns how many did not need it. */
export async function forgetRemembered(trx: StoreTransaction, accountId: string): Promise<number> {
  const forgotten = await trx
    .updateTable('devices')
    .set({ remembered_until: null })
    .where('account_id', '=', accountId)
    .where('remembered_until', 'is not', null)
    .returning('token_hash')
    .execute();
  return forgotten.length;
}

interface EndedSessions {
  readonly accountId: string;
  /** All sessions of the account, all but one, or one. */
  readonly sessions: 'all' | 'others' | 'one';
  readonly session: string | undefined;
}

/** Makes the browsers of sessions that end need the second step again. */
export const forgetRememberedOf = (trx: StoreTransaction, { accountId, sessions, session = '' }: EndedSessions) =>
  trx
    .updateTable('devices')
    .set({ remembered_until: null })
    .where('account_id', '=', accountId)
    .where('remembered_until', 'is not', null)
    .$if(sessions !== 'all', (devices) =>
      devices.where(({ and, exists, not, selectFrom }) => {
        const named = exists(
          selectFrom('sessions')
            .select('sessions.id')
            .where('sessions.id', '=', session)
            .whereRef('sessions.device_hash', '=', 'devices.token_hash'),
        );
        return and([sessions === 'one' ? named : not(named)]);
      }),
    )
    .execute();

interface Remembered {
  readonly tokenHash: string;
  readonly accountId: string;
  readonly at: number;
  readonly visitor?: Pick<Visitor, 'ip' | 'userAgent'>;
}

export const rememberDevice = (store: Store, { tokenHash, accountId, at, visitor }: Remembered) =>
  sql`
    insert into devices (token_hash, account_id, created_at, last_seen_at, ip, user_agent)
    values (${tokenHash}, ${accountId}, ${at}, ${at}, ${visitor?.ip ?? null}, ${visitor?.userAgent ?? null})
    on conflict (token_hash, account_id) do update set
      last_seen_at = excluded.last_seen_at, ip = excluded.ip, user_agent = excluded.user_agent`.execute(store);
