import { minutes } from '../../contract/durations.ts';
import { singleUse } from '../single-use.ts';

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

export const forwardAuthCodes = singleUse('forward_auth_codes', { lifetime: codeLifetime, keeps: false });
