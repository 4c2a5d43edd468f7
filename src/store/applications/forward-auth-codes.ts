import { minutes } from '../../contract/durations.ts';
import type { Store } from '../database.ts';

/** Brings a session to the host of an application, once. */
export interface ForwardAuthCodesTable {
  /** SHA-256 of the code. */
  hash: string;
  session_id: string;
  client_id: string;
  origin: string;
  /** SHA-256 of the cookie of the browser that began there. */
  nonce_hash: string;
  created_at: number;
}

declare module '../database.ts' {
  interface Database {
    forward_auth_codes: ForwardAuthCodesTable;
  }
}

/** The browser uses it immediately. */
const codeLifetime = minutes(1);

export const addForwardAuthCode = (store: Store, code: ForwardAuthCodesTable) =>
  store.insertInto('forward_auth_codes').values(code).execute();

type PresentedCode = Omit<ForwardAuthCodesTable, 'session_id' | 'created_at'> & { readonly now: number };

/** Consumes a code, and returns its session. Undefined, and the code is spent, if another browser or host presents it. */
export async function consumeForwardAuthCode(store: Store, presented: PresentedCode): Promise<string | undefined> {
  const code = await store
    .deleteFrom('forward_auth_codes')
    .where('hash', '=', presented.hash)
    .returningAll()
    .executeTakeFirst();
  if (!code || code.created_at <= presented.now - codeLifetime) return undefined;
  const isItsOwn =
    code.client_id === presented.client_id &&
    code.origin === presented.origin &&
    code.nonce_hash === presented.nonce_hash;
  return isItsOwn ? code.session_id : undefined;
}
