import { type SqlBool, sql } from 'kysely';
import { nationalBeginnings } from '../../contract/fields/phone.ts';
import type { Store } from '../database.ts';
import { accountOfReference } from '../operators/error-references.ts';
import { type AccountsTable, emailKey, findAccount, findAccountByEmail } from './accounts.ts';
import { type AccountFilter, accountsAmong, conditionsOf, fewWhere, isLookedUp } from './list-accounts.ts';
import {
  backwards,
  endOf,
  indexChanges,
  isWithin,
  type KeyRange,
  keyOfWords,
  keysOfAccounts,
  keysWithin,
  type SearchKey,
  wordsOf,
} from './search-keys.ts';

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
  /** Of this service, whose last places are kept as paths. */
  readonly origin: string;
  /** `next` of the page before. */
  readonly cursor?: string | undefined;
  readonly limit: number;
}

interface Found {
  readonly accounts: readonly AccountsTable[];
  /** For the next page; undefined after the last. */
  readonly next: string | undefined;
}

/** The changes that a search waits for: more of them are an import. */
const latestChanges = 200;
/** A page ends after so many keys, also if the filter leaves out their accounts. */
const maxKeys = 2000;
/** So few accounts match a rare filter. */
const fewAccounts = 1000;

/**
 * A page of the accounts that match a text. Looks up a complete address, including former ones, an id, the reference of an
 * error, or a last place; any other text is the beginning of an address, a domain, words of a name, an organization or a device, or of a phone number, or at
 * least its last four digits. Throws a `RangeError` if the cursor is not one of ours.
 */
export async function findAccounts(store: Store, search: Search): Promise<Found> {
  const { filter } = search;
  const text = search.text.replaceAll('\0', '').trim();
  await indexChanges(store, { max: latestChanges, yields: false });
  const named = await accountByAddressOrId(store, text);
  const exact = named ?? (await accountByHistory(store, text));
  if (exact) return { accounts: await accountsAmong(store, { ids: [exact.id], filter }), next: undefined };
  const place = placeIn(text, search.origin);
  return place === undefined ? searchKeys(store, { ...search, text }) : accountsAt(store, { ...search, place });
}

/** The account that saw an error with this reference, or had this address before a change. */
async function accountByHistory(store: Store, text: string): Promise<AccountsTable | undefined> {
  if (/^[0-9a-f]{10}$/i.test(text)) return accountOfReference(store, text.toUpperCase());
  return text.includes('@') ? accountFormerlyAt(store, text) : undefined;
}

/** The last place that a text names, as accounts keep it: a path of this service, or an address of another one. */
function placeIn(text: string, origin: string): string | undefined {
  if (text.startsWith('/')) return text;
  const url = /^https?:\/\//i.test(text) ? URL.parse(text) : null;
  if (!url) return undefined;
  return url.origin === origin ? `${url.pathname}${url.search}${url.hash}` : url.href;
}

/** As the index has them. */
const placeLength = 200;

/** The accounts whose last place this is. */
async function accountsAt(
  store: Store,
  { place, filter, cursor, limit }: Search & { readonly place: string },
): Promise<Found> {
  const after = cursor === undefined ? '' : (readCursor(cursor).after?.id ?? '');
  const accounts = await store
    .selectFrom('accounts')
    .selectAll()
    .where(sql<string>`substr(last_place, 1, ${sql.lit(placeLength)})`, '=', place.slice(0, placeLength))
    .where('last_place', '=', place)
    .where('id', '>', after)
    .where(({ and }) => and(conditionsOf(filter)))
    .orderBy(sql`substr(last_place, 1, ${sql.lit(placeLength)})`)
    .orderBy('id')
    .limit(limit)
    .execute();
  const last = accounts.at(-1);
  return {
    accounts,
    next: last && accounts.length === limit ? cursorAt({ at: 0, after: { key: '', id: last.id } }) : undefined,
  };
}

async function searchKeys(store: Store, search: Search): Promise<Found> {
  const { filter, cursor, limit } = search;
  const position = cursor === undefined ? { at: 0 } : readCursor(cursor);
  // Few match a rare filter, such as the locked ones: these are looked at, instead of all keys of a large domain.
  const few = isLookedUp(filter) ? await fewWhere(store, { filter, max: fewAccounts }) : undefined;
  const walk = { wanted: wantedBy(search), position, filter, limit };
  const found = await (few ? amongFew(store, { ...walk, ids: few }) : walkKeys(store, walk));
  const accounts = await accountsAmong(store, { ids: found.matches.map(({ id }) => id), filter });
  const byId = new Map(accounts.map((account) => [account.id, account]));
  return {
    accounts: found.matches.flatMap(({ id }) => byId.get(id) ?? []),
    next: found.next && cursorAt(found.next),
  };
}

interface Walk {
  readonly wanted: readonly Wanted[];
  readonly position: Position;
  readonly filter: AccountFilter;
  readonly limit: number;
}

/** An account, with the first of the wanted keys that it has. */
interface Match {
  readonly at: number;
  readonly key: string;
  readonly id: string;
}

interface Walked {
  readonly matches: readonly Match[];
  /** Where the next page begins; undefined after the last. */
  readonly next: Position | undefined;
}

const positionOf = ({ at, key, id }: Match): Position => ({ at, after: { key, id } });

async function amongFew(
  store: Store,
  { wanted, position, limit, ids }: Walk & { readonly ids: readonly string[] },
): Promise<Walked> {
  const all = (await matchesOf(store, { ids, wanted })).toSorted(inOrder).filter((match) => isAfter(match, position));
  const matches = all.slice(0, limit);
  const last = matches.at(-1);
  return { matches, next: last && all.length > limit ? positionOf(last) : undefined };
}

/** In the order of the index. */
const inOrder = (one: Match, other: Match): number =>
  one.at - other.at || compareBytes(one.key, other.key) || compareBytes(one.id, other.id);

const compareBytes = (one: string, other: string): number => Buffer.compare(Buffer.from(one), Buffer.from(other));

const isAfter = (match: Match, { at, after }: Position): boolean =>
  match.at > at || (match.at === at && (after === undefined || inOrder(match, { at, ...after }) > 0));

/** Goes through the wanted keys in the order of the index. */
async function walkKeys(store: Store, { wanted, filter, limit, ...walk }: Walk): Promise<Walked> {
  const matches: Match[] = [];
  let { position } = walk;
  for (let seen = 0; ; ) {
    const want = wanted[position.at];
    if (!want) return { matches, next: undefined };
    const { at, after } = position;
    const max = maxKeys - seen;
    const { keys, end } = await matchingKeys(store, { ...want, filter, after, max, limit: limit - matches.length });
    const ids = [...new Set(keys.map(({ account_id }) => account_id))];
    const firsts = new Map((await matchesOf(store, { ids, wanted })).map((match) => [match.id, match]));
    for (const { key, account_id: id } of keys) {
      const first = firsts.get(id);
      if (first?.at !== at || first.key !== key) continue;
      matches.push(first);
    }
    if (end === undefined) position = { at: at + 1 };
    else {
      position = { at, after: { key: end.key, id: end.account_id } };
      seen += end.passed;
      if (matches.length >= limit || seen >= maxKeys) return { matches, next: position };
    }
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
  const [, at, id = '', key = ''] = /^(\d{1,2})\n([\w-]{1,64})\n([^\0]*)$/.exec(text) ?? [];
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
    ...(/^(?:0[1-9]|8\d)\d{3}/.test(digits) && !typed.includes('+') ? nationalBeginnings(digits) : []).map(
      (one) => ({ kind: 'phone', key: one.slice(1), begins: true }) as const,
    ),
  ];
}

interface KeysQuery extends Wanted, Pick<Walk, 'filter' | 'limit'> {
  readonly after: Position['after'];
  /** How many keys it goes through. */
  readonly max: number;
}

/** Keys whose accounts match, and the key where it stopped, after how many; undefined at the end of the range. */
async function matchingKeys(store: Store, { range, also, filter, after, max, limit }: KeysQuery) {
  const isPlain = also.length === 0 && Object.keys(filter).length === 0;
  const most = Math.min(limit, max);
  const scanned = keysWithin(store, { range, after, max: isPlain ? most : max });
  const keys = isPlain
    ? await scanned.execute()
    : await store
        .selectFrom(scanned.as('scanned'))
        .innerJoin('accounts', 'accounts.id', 'scanned.account_id')
        .select(['scanned.key', 'scanned.account_id'])
        .where(({ and }) => and([...conditionsOf(filter), ...also.map(hasKey)]))
        .orderBy('scanned.key')
        .orderBy('scanned.account_id')
        .limit(most)
        .execute();
  const last = keys.at(-1);
  if (last && keys.length === most) return { keys, end: { ...last, passed: keys.length } };
  if (isPlain) return { keys, end: undefined };
  const end = await keysWithin(store, { range, after, max: 1 })
    .offset(max - 1)
    .executeTakeFirst();
  return { keys, end: end && { ...end, passed: max } };
}

const hasKey = ({ kind, key }: KeyRange) =>
  sql<SqlBool>`exists (select 1 from search_keys as other where other.account_id = accounts.id and other.kind = ${kind}
    and other.key >= ${key} and other.key < ${endOf(key)})`;

/** The accounts that match, each with the first of its keys in the whole search. */
async function matchesOf(
  store: Store,
  { ids, wanted }: { readonly ids: readonly string[]; readonly wanted: readonly Wanted[] },
): Promise<Match[]> {
  const keysOf = Map.groupBy(await keysOfAccounts(store, ids), ({ account_id }) => account_id);
  return ids.flatMap((id) => {
    const first = firstMatch(keysOf.get(id) ?? [], wanted);
    return first ? [{ id, ...first }] : [];
  });
}

function firstMatch(keys: readonly SearchKey[], wanted: readonly Wanted[]) {
  for (const [at, { range, also }] of wanted.entries()) {
    const matching = keys.filter((key) => isWithin(key, range)).map(({ key }) => Buffer.from(key));
    const [first] = matching.toSorted(Buffer.compare);
    if (first && also.every((one) => keys.some((key) => isWithin(key, one)))) return { at, key: first.toString() };
  }
  return undefined;
}
