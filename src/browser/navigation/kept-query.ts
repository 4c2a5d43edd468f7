import { dbTypeLimit, textLimit } from '../../contract/fields/field-sizes.ts';
import { browserStorage, cell, tabStorage, useCell } from '../platform/storage.ts';

/** The parameters of an emailed link: its secret, the address it was sent to, and the call that it replaces. */
export interface MailLink {
  readonly hash: string;
  readonly email: string;
  readonly call: string;
  /** Of an invitation: sets the first password. */
  readonly first?: '1';
}

/** Parameters taken from the URL: the email to prefill, an emailed link, and an opaque label for the server. */
export interface KeptQuery {
  readonly email: string;
  readonly link: MailLink | undefined;
  readonly dbType: string | undefined;
}

const nothing: KeptQuery = { email: '', link: undefined, dbType: undefined };
export const keptQuery = cell(nothing);

/** The stored parameters; empty before hydration. */
export const useKeptQuery = (): KeptQuery => useCell(keptQuery, () => nothing);

/**
 * Moves `email`, `hash`, `call`, `first` and `db_type` from a URL to storage. A link is a secret, so only this tab keeps it,
 * only on a page that carries links, and only until it is used or the page is left.
 */
export function keepQuery(url: URL, { carriesLink = false }: { readonly carriesLink?: boolean | undefined }): void {
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
  const first = take('first', textLimit);
  if (email !== undefined) {
    browserStorage.write('email', email);
    // The link is newer than a typed draft.
    tabStorage.write('draft.sign-in', undefined);
  }
  if (dbType !== undefined) browserStorage.write('db_type', dbType);
  const kept = browserStorage.read('email') ?? '';
  // On any other page the secret of a link would be sent to unexpected places.
  if (hash !== undefined && carriesLink)
    tabStorage.write('link', JSON.stringify({ hash, email: email ?? kept, call, first }));
  keptQuery.write({ email: kept, link: readLink(), dbType: browserStorage.read('db_type') });
}

function readLink(): MailLink | undefined {
  const { hash, email = '', call = '', first } = tabStorage.readRecord('link');
  if (!hash) return undefined;
  return { hash: String(hash), email: String(email), call: String(call), ...(first === '1' && { first }) };
}

/** Whether a reload would lose the link because the browser forbids storage. */
export const linkIsFleeting = (): boolean => !tabStorage.lasts('link');

/** Adds a link that is only in memory to an address; `keepQuery` removes it again after the load. */
export function withLink(address: string): string {
  const { link } = keptQuery.read();
  if (!link || !linkIsFleeting()) return address;
  const url = new URL(address);
  for (const [name, value] of Object.entries(link)) if (value) url.searchParams.set(name, value);
  return url.href;
}

/** Keeps a typed email for the next screen that needs one; on a shared computer, only as long as this page. */
export function keepEmail(email: string, shared?: boolean): void {
  browserStorage.write('email', shared ? undefined : email);
  keptQuery.write({ ...keptQuery.read(), email });
}

/** Keeps, for this tab, a link that continues the used one. */
export function keepLink(link: MailLink): void {
  tabStorage.write('link', JSON.stringify(link));
  keptQuery.write({ ...keptQuery.read(), link });
}

/** Forgets a link that was used or no longer works. */
export function forgetLink(): void {
  tabStorage.write('link', undefined);
  keptQuery.write({ ...keptQuery.read(), link: undefined });
}
