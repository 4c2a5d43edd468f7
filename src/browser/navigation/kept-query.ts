import { dbTypeLimit, textLimit } from '../../contract/limits.ts';
import { cell, useCell } from '../platform/cell.ts';
import { browserStorage } from '../platform/storage.ts';

/** What a link brought along: the address to prefill, the reset link's secret, and an opaque label for the server. */
export interface KeptQuery {
  readonly email: string;
  readonly hash: string | undefined;
  /** The call that a link by mail takes the place of; a secret, too. */
  readonly call: string | undefined;
  readonly dbType: string | undefined;
}

const nothing: KeptQuery = { email: '', hash: undefined, call: undefined, dbType: undefined };
export const keptQuery = cell(nothing);

/** What was kept; empty while a pre-rendered page is not yet alive. */
export const useKeptQuery = (): KeptQuery => useCell(keptQuery, () => nothing);

/** Takes `email`, `hash`, `call` and `db_type` out of an address and keeps them; the secrets only in memory. */
export function keepQuery(url: URL): void {
  const take = (name: string, limit: number) => {
    const values = url.searchParams.getAll(name);
    url.searchParams.delete(name);
    const [value = ''] = values;
    return values.length === 1 && value !== '' && value.length < limit ? value : undefined;
  };
  const email = take('email', textLimit);
  const dbType = take('db_type', dbTypeLimit + 1);
  if (email !== undefined) browserStorage.write('email', email);
  if (dbType !== undefined) browserStorage.write('db_type', dbType);
  keptQuery.write({
    email: browserStorage.read('email') ?? '',
    hash: take('hash', textLimit) ?? keptQuery.read().hash,
    call: take('call', textLimit) ?? keptQuery.read().call,
    dbType: browserStorage.read('db_type'),
  });
}

/** An address with the link that is in memory only, for a load that would lose it and takes it out again. */
export function withLink(address: string): string {
  const { email, hash, call } = keptQuery.read();
  if (hash === undefined) return address;
  const url = new URL(address);
  for (const [name, value] of Object.entries({ email, hash, call })) if (value) url.searchParams.set(name, value);
  return url.href;
}

/** Keeps an address that somebody typed, for the next screen that asks for one. */
export function keepEmail(email: string): void {
  browserStorage.write('email', email);
  keptQuery.write({ ...keptQuery.read(), email });
}

/** Forgets a reset link that was used. */
export const forgetHash = (): void => keptQuery.write({ ...keptQuery.read(), hash: undefined });
