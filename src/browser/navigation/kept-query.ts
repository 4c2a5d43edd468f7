import { dbTypeLimit, textLimit } from '../../contract/field-sizes.ts';
import { cell, useCell } from '../platform/cell.ts';
import { browserStorage, tabStorage } from '../platform/storage.ts';

/** What a link in a mail brought along: its secret, the address that it went to, and the call that it takes the place of. */
export interface MailLink {
  readonly hash: string;
  readonly email: string;
  readonly call: string;
}

/** What the address brought along: the e-mail address to prefill, a mail's link, and an opaque label for the server. */
export interface KeptQuery {
  readonly email: string;
  readonly link: MailLink | undefined;
  readonly dbType: string | undefined;
}

const nothing: KeptQuery = { email: '', link: undefined, dbType: undefined };
export const keptQuery = cell(nothing);

/** What was kept; empty while a pre-rendered page is not yet alive. */
export const useKeptQuery = (): KeptQuery => useCell(keptQuery, () => nothing);

/**
 * Takes `email`, `hash`, `call` and `db_type` out of an address and keeps them; a link, which is a secret, for this tab
 * only, until it is used.
 */
export function keepQuery(url: URL): void {
  const take = (name: string, limit: number) => {
    const values = url.searchParams.getAll(name);
    url.searchParams.delete(name);
    const [value = ''] = values;
    return values.length === 1 && value !== '' && value.length < limit ? value : undefined;
  };
  const email = take('email', textLimit);
  const dbType = take('db_type', dbTypeLimit + 1);
  const hash = take('hash', textLimit);
  const call = take('call', textLimit) ?? '';
  if (email !== undefined) {
    browserStorage.write('email', email);
    // What was typed before is older than the link.
    tabStorage.write('draft.sign-in', undefined);
  }
  if (dbType !== undefined) browserStorage.write('db_type', dbType);
  const kept = browserStorage.read('email') ?? '';
  if (hash !== undefined) tabStorage.write('link', JSON.stringify({ hash, email: email ?? kept, call }));
  keptQuery.write({ email: kept, link: readLink(), dbType: browserStorage.read('db_type') });
}

function readLink(): MailLink | undefined {
  const { hash, email = '', call = '' } = tabStorage.readRecord('link');
  return hash ? { hash: String(hash), email: String(email), call: String(call) } : undefined;
}

/** Whether a reload would cost the link, since the browser forbids storage. */
export const linkIsFleeting = (): boolean => !tabStorage.lasts('link');

/** An address with the link that is in memory only, for a load that would lose it and takes it out again. */
export function withLink(address: string): string {
  const { link } = keptQuery.read();
  if (!link || !linkIsFleeting()) return address;
  const url = new URL(address);
  for (const [name, value] of Object.entries(link)) if (value) url.searchParams.set(name, value);
  return url.href;
}

/** Keeps an address that somebody typed, for the next screen that asks for one; on a shared computer no longer than this page. */
export function keepEmail(email: string, shared?: boolean): void {
  browserStorage.write('email', shared ? undefined : email);
  keptQuery.write({ ...keptQuery.read(), email });
}

/** Keeps a link that continues the one that was used, for this tab. */
export function keepLink(link: MailLink): void {
  tabStorage.write('link', JSON.stringify(link));
  keptQuery.write({ ...keptQuery.read(), link });
}

/** Forgets a link that was used, or that works no longer. */
export function forgetLink(): void {
  tabStorage.write('link', undefined);
  keptQuery.write({ ...keptQuery.read(), link: undefined });
}
