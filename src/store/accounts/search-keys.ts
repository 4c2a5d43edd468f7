import { setTimeout as pause } from 'node:timers/promises';
import { type SqlBool, sql } from 'kysely';
import { engineOf, type Store, type StoreTransaction } from '../database.ts';
import type { AccountsTable } from './accounts.ts';

/** What each key is: an address, its domain, words, a number from its beginning or backwards from its end. */
export type KeyKind = 'email' | 'domain' | 'word' | 'phone' | 'phone_end' | 'device';

interface SearchKeysTable {
  account_id: string;
  kind: KeyKind;
  key: string;
}

/** Notes by triggers, in the transaction of each change: which accounts have new keys. */
interface SearchChangesTable {
  account_id: string;
  at: number;
}

declare module '../database.ts' {
  interface Database {
    search_keys: SearchKeysTable;
    search_changes: SearchChangesTable;
  }
}

export type SearchKey = Pick<SearchKeysTable, 'kind' | 'key'>;

const maxKeysOfText = 12;
const maxKeyLength = 60;

const accents = /[\u0300-\u036f\u0591-\u05c7\u064b-\u065f\u0670]/g;
const plain: Readonly<Record<string, string>> = { ß: 'ss', ı: 'i', ø: 'o', ł: 'l', đ: 'd', æ: 'ae', œ: 'oe', ё: 'е' };

/** The words of a text without what people leave out when they type: case, accents, punctuation. */
export const wordsOf = (text: string): readonly string[] =>
  text
    .normalize('NFKD')
    .replaceAll(accents, '')
    .normalize('NFKC')
    .toLowerCase()
    .replaceAll(/[ßıøłđæœё]/g, (letter) => plain[letter] ?? letter)
    .split(/[^\p{L}\p{N}\p{M}]+/u)
    .filter((word) => word !== '');

/** As long as keys are. */
export const keyOfWords = (words: readonly string[]): string =>
  Array.from(words.join(' ')).slice(0, maxKeyLength).join('');

/** Languages without spaces between the names of one person. */
const unspaced = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Hangul}\p{sc=Thai}]/u;

/** The words in turn from each of them on, so that the beginning of any word, or of several, is that of a key. */
function keysOfText(text: string): readonly string[] {
  const words = wordsOf(text);
  const keys = words.flatMap((word, at) => {
    const turned = (first: string) => keyOfWords([first, ...words.slice(at + 1), ...words.slice(0, at)]);
    const letters = Array.from(word);
    return unspaced.test(word) ? letters.map((_, from) => turned(letters.slice(from).join(''))) : [turned(word)];
  });
  return keys.slice(0, maxKeysOfText);
}

export const backwards = (digits: string): string => Array.from(digits).reverse().join('');

type Described = Pick<AccountsTable, 'email_key' | 'name' | 'organization' | 'phone'>;

function keysOf(account: Described, computers: readonly string[]): readonly SearchKey[] {
  const { email_key: email, name, organization, phone } = account;
  const digits = phone.replaceAll(/\D/g, '');
  const keys: readonly SearchKey[] = [
    { kind: 'email', key: email },
    { kind: 'domain', key: email.slice(email.lastIndexOf('@') + 1) },
    ...[name, organization ?? ''].flatMap(keysOfText).map((key) => ({ kind: 'word', key }) as const),
    ...(digits === ''
      ? []
      : ([
          { kind: 'phone', key: digits },
          { kind: 'phone_end', key: backwards(digits) },
        ] as const)),
    ...computers.flatMap(keysOfText).map((key) => ({ kind: 'device', key }) as const),
  ];
  return [...new Map(keys.map((key) => [`${key.kind} ${key.key}`, key])).values()];
}

/** An advisory lock: of two that work on the same account, the one that has read it first could write last. */
const turn = '3853314791062309119';

interface Portion {
  readonly max: number;
  /** Whether to leave the work to another node that is at it. */
  readonly yields: boolean;
}

/** Writes the keys of up to `max` accounts that have changed, the newest changes first. Returns how many it has tried. */
export async function indexChanges(store: Store, { max, yields }: Portion): Promise<number> {
  if (!(await store.selectFrom('search_changes').select('at').orderBy('at', 'desc').limit(1).executeTakeFirst()))
    return 0;
  return store.transaction().execute(async (trx) => {
    if (!(await takeTurn(trx, { yields }))) return 0;
    const ids = await takeChanges(trx, max);
    await writeKeys(trx, [...new Set(ids)]);
    return ids.length;
  });
}

/** So few that a request on SQLite, which waits for them, notices nothing. */
const portion = { max: 100, yields: true };
const pauseBetween = 20;

/** Writes the keys of all accounts that have changed, unless another node is at it. */
export async function indexAllChanges(store: Store): Promise<void> {
  while ((await indexChanges(store, portion)) > 0) await pause(pauseBetween);
}

/** How many changes wait for their keys, at most `max`. */
export async function countChanges(store: Store, max: number): Promise<number> {
  return (await store.selectFrom('search_changes').select('at').orderBy('at').limit(max).execute()).length;
}

async function takeTurn(trx: StoreTransaction, { yields }: Pick<Portion, 'yields'>): Promise<boolean> {
  if (engineOf(trx) === 'sqlite') return true;
  const lock = yields ? sql`pg_try_advisory_xact_lock` : sql`pg_advisory_xact_lock`;
  const { rows } = await sql<{ taken: unknown }>`select ${lock}(${sql.lit(turn)}::bigint) as taken`.execute(trx);
  return !yields || rows[0]?.taken === true;
}

/** Deletes notes that it sees. A change that commits later has a note of its own, for which the account is read again. */
async function takeChanges(trx: StoreTransaction, max: number): Promise<readonly string[]> {
  const row = sql.raw(engineOf(trx) === 'postgres' ? 'ctid' : 'rowid');
  const portion = sql`select ${row} from search_changes order by at desc limit ${max}`;
  const isIn = engineOf(trx) === 'postgres' ? sql`= any (array(${portion}))` : sql`in (${portion})`;
  const { rows } = await sql<{ account_id: string }>`delete from search_changes where ${row} ${isIn}
    returning account_id`.execute(trx);
  return rows.map(({ account_id }) => account_id);
}

const rowsPerStatement = 1000;

async function writeKeys(trx: StoreTransaction, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  const accounts = await trx
    .selectFrom('accounts')
    .select(['id', 'email_key', 'name', 'organization', 'phone'])
    .where('id', 'in', ids)
    .orderBy('id')
    // They stay until their keys refer to them.
    .$if(engineOf(trx) === 'postgres', (rows) => rows.forKeyShare())
    .execute();
  const { rows: computers } = await sql<{ account_id: string; name: string }>`
    select account_id, name from computers where account_id in (${sql.join(ids)})`.execute(trx);
  const namesOf = Map.groupBy(computers, ({ account_id }) => account_id);
  const rows = accounts.flatMap((account) => {
    const names = namesOf.get(account.id)?.map(({ name }) => name) ?? [];
    return keysOf(account, names).map((key) => ({ account_id: account.id, ...key }));
  });
  await trx.deleteFrom('search_keys').where('account_id', 'in', ids).execute();
  for (let at = 0; at < rows.length; at += rowsPerStatement)
    await trx
      .insertInto('search_keys')
      .values(rows.slice(at, at + rowsPerStatement))
      .execute();
}

/** After every key that begins so: after the last character that text contains. */
export const endOf = (key: string): string => `${key}\u{10ffff}`;

export interface KeyRange {
  readonly kind: KeyKind;
  readonly key: string;
  /** Also longer keys that begin with it. */
  readonly begins: boolean;
}

/** The query for keys in a range with their accounts, in the order of the index, after a pair of both. */
export const keysWithin = (
  store: Store,
  { range, after, max }: { range: KeyRange; after: { key: string; id: string } | undefined; max: number },
) =>
  store
    .selectFrom('search_keys')
    .select(['key', 'account_id'])
    .where('kind', '=', range.kind)
    .$if(range.begins, (rows) => rows.where('key', '>=', range.key).where('key', '<', endOf(range.key)))
    .$if(!range.begins, (rows) => rows.where('key', '=', range.key))
    .$if(after !== undefined, (rows) => rows.where(sql<SqlBool>`(key, account_id) > (${after?.key}, ${after?.id})`))
    .orderBy('key')
    .orderBy('account_id')
    .limit(max);

export const keysOfAccounts = (store: Store, ids: readonly string[]) =>
  store
    .selectFrom('search_keys')
    .selectAll()
    .where('account_id', 'in', ['', ...ids])
    .execute();

export const isWithin = ({ kind, key }: SearchKey, range: KeyRange): boolean =>
  kind === range.kind && (range.begins ? key.startsWith(range.key) : key === range.key);
