import { sql } from 'kysely';
import type { Store } from '../database.ts';
import { type AccountsTable, emailKey, findAccount, findAccountByEmail } from './accounts.ts';
import { type AccountFilter, accountsAmong } from './list-accounts.ts';
import {
  backwards,
  indexChanges,
  isWithin,
  type KeyRange,
  keyOfWords,
  keysOfAccounts,
  keysWithin,
  type SearchKey,
  wordsOf,
} from './search-keys.ts';

/** The account that an operator names by its address or id. */
export async function accountByAddressOrId(store: Store, named: string): Promise<AccountsTable | undefined> {
  // PostgreSQL refuses a query with a NUL.
  if (named.includes('\0')) return undefined;
  return named.includes('@') ? findAccountByEmail(store, named) : findAccount(store, named);
}

/** The account that had an address before a change, as far back as changes are stored. */
export const accountFormerlyAt = (store: Store, address: string) =>
  store
    .selectFrom('email_changes')
    .innerJoin('accounts', 'accounts.id', 'email_changes.account_id')
    .selectAll('accounts')
    .select('email_changes.changed_at')
    .where(sql<string>`lower(old_email)`, '=', emailKey(address))
    .where('email_changes.changed_at', 'is not', null)
    .orderBy('email_changes.changed_at', 'desc')
    .limit(1)
    .executeTakeFirst();

interface Search {
  readonly text: string;
  readonly filter: AccountFilter;
  /** Finds addresses and numbers only by the whole: with their beginnings, anyone could guess them sign by sign. */
  readonly wholeContacts: boolean;
  /** `next` of the page before. */
  readonly cursor?: string | undefined;
  readonly limit: number;
}

interface Found {
  readonly accounts: readonly AccountsTable[];
  /** For the next page; undefined after the last. */
  readonly next: string | undefined;
}

/** The changes that a search waits for: more of them are an import, or the keys of an earlier version. */
const latestChanges = 200;
const keysPerQuery = 200;
/** A page ends after so many keys, also if the filter leaves out their accounts. */
const maxKeys = 2000;

/**
 * A page of the accounts that match a text. Looks up a complete address, including former ones, or an id; any other text
 * is the beginning of an address, a domain, words of a name, an organization or a device, or of a phone number, or at
 * least its last four digits. Throws a `RangeError` if the cursor is not one of ours.
 */
export async function findAccounts(store: Store, search: Search): Promise<Found> {
  const { filter } = search;
  const text = search.text.replaceAll('\0', '').trim();
  await indexChanges(store, { max: latestChanges, yields: false });
  const named = await accountByAddressOrId(store, text);
  const exact = named ?? (text.includes('@') ? await accountFormerlyAt(store, text) : undefined);
  return exact
    ? { accounts: await accountsAmong(store, { ids: [exact.id], filter }), next: undefined }
    : searchKeys(store, { ...search, text });
}

async function searchKeys(store: Store, search: Search): Promise<Found> {
  const { filter, cursor, limit } = search;
  const wanted = wantedBy(search);
  const accounts: AccountsTable[] = [];
  let position = cursor === undefined ? { at: 0 } : readCursor(cursor);
  for (let seen = 0; ; ) {
    const want = wanted[position.at];
    if (!want) return { accounts, next: undefined };
    const leavesNoneOut = want.also.length === 0 && Object.keys(filter).length === 0;
    const max = leavesNoneOut ? limit : keysPerQuery;
    const keys = await keysWithin(store, { range: want.range, after: position.after, max });
    const among = await matchesOf(store, { keys, wanted, filter, at: position.at });
    for (const { key, account_id: id } of keys) {
      position = { at: position.at, after: { key, id } };
      seen += 1;
      const account = among.get(`${id} ${key}`);
      if (account) accounts.push(account);
      if (accounts.length === limit || seen === maxKeys) return { accounts, next: cursorAt(position) };
    }
    if (keys.length < max) position = { at: position.at + 1 };
  }
}

interface Position {
  /** Which of the wanted keys. */
  readonly at: number;
  readonly after?: { readonly key: string; readonly id: string };
}

const cursorAt = ({ at, after }: Position): string =>
  Buffer.from(`${at}\n${after?.id}\n${after?.key}`).toString('base64url');

function readCursor(cursor: string): Position {
  const text = Buffer.from(cursor, 'base64url').toString();
  const [, at, id = '', key = ''] = /^(\d)\n([\w-]{1,64})\n([^\0]*)$/.exec(text) ?? [];
  if (at === undefined) throw new RangeError('not a cursor of this list');
  return { at: Number(at), after: { key, id } };
}

interface Wanted {
  readonly range: KeyRange;
  /** Other keys that the account must have. */
  readonly also: readonly KeyRange[];
}

/** What a text may be, the most likely first. */
function wantedBy({ text: typed, wholeContacts }: Search): readonly Wanted[] {
  const at = typed.lastIndexOf('@');
  const isDomain = at <= 0 && !/\s/.test(typed);
  const begins = (kind: KeyRange['kind'], key: string): Wanted => ({ range: { kind, key, begins: true }, also: [] });
  const words = wordsOf(typed);
  const [longest = '', ...others] = words.toSorted((one, other) => other.length - one.length);
  const email = at > 0 ? emailKey(typed) : typed.normalize('NFC').toLowerCase();
  return [
    ...(wholeContacts || at === 0 ? [] : [begins('email', email)]),
    ...(isDomain ? [begins('domain', emailKey(`x@${typed.slice(at + 1)}`).slice(2))] : []),
    ...numbersIn(typed, { wholeContacts }).map((range) => ({ range, also: [] })),
    ...(words.length > 0 && at < 0 ? [begins('word', keyOfWords(words)), begins('device', keyOfWords(words))] : []),
    ...(words.length > 1 && at < 0
      ? [{ ...begins('word', longest), also: others.map((key) => ({ kind: 'word', key, begins: true }) as const) }]
      : []),
  ];
}

/** A phone number in any spelling: also with what people dial first within their country (0, 8, 06) or abroad (00). */
function numbersIn(typed: string, { wholeContacts }: Pick<Search, 'wholeContacts'>): readonly KeyRange[] {
  const digits = typed.replaceAll('(0)', '').replaceAll(/\D/g, '');
  if (digits.length < 4 || /[^\d\s()+./\u2010-\u2015-]/.test(typed)) return [];
  const whole = digits.replace(/^00/, '');
  if (wholeContacts) return [{ kind: 'phone', key: whole, begins: false }];
  const national = [/^0+/, /^8/, /^06/].map((dialed) => digits.replace(dialed, '')).filter((one) => one.length >= 7);
  return [
    { kind: 'phone', key: whole, begins: true },
    ...[...new Set([digits, ...national])].map(
      (one) => ({ kind: 'phone_end', key: backwards(one), begins: true }) as const,
    ),
  ];
}

interface Candidates {
  readonly keys: Awaited<ReturnType<typeof keysWithin>>;
  readonly wanted: readonly Wanted[];
  readonly at: number;
  readonly filter: AccountFilter;
}

/** The accounts behind keys, each by its id and the first of its keys in the whole search. */
async function matchesOf(store: Store, { keys, wanted, at, filter }: Candidates) {
  const ids = [...new Set(keys.map(({ account_id }) => account_id))];
  const keysOf = Map.groupBy(await keysOfAccounts(store, ids), ({ account_id }) => account_id);
  const found = await accountsAmong(store, { ids, filter });
  return new Map(
    found.flatMap((account) => {
      const first = firstMatch(keysOf.get(account.id) ?? [], wanted);
      return first?.at === at ? [[`${account.id} ${first.key}`, account] as const] : [];
    }),
  );
}

function firstMatch(keys: readonly SearchKey[], wanted: readonly Wanted[]) {
  for (const [at, { range, also }] of wanted.entries()) {
    const matching = keys.filter((key) => isWithin(key, range)).map(({ key }) => Buffer.from(key));
    const [first] = matching.toSorted(Buffer.compare);
    if (first && also.every((one) => keys.some((key) => isWithin(key, one)))) return { at, key: first.toString() };
  }
  return undefined;
}
