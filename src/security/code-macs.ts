import { createHmac } from 'node:crypto';
import { equal } from './secrets.ts';

/**
 * The stored form of a call's digits, or of an email's secret or code, bound to the id of the request for it. Four
 * digits have no entropy, so the hash is keyed: someone who reads the table cannot try them out.
 */
export const macOfCode = (key: Buffer, id: string, code: string): string =>
  createHmac('sha256', key).update(`phone proof!${id.length}!${id}!${code}`).digest('base64url');

/** Whether one of `keys` made the MAC for this id and code. */
export const isMacOfCode = (
  keys: readonly Buffer[],
  proof: string,
  { id, code }: { id: string; code: string },
): boolean => keys.some((key) => equal(Buffer.from(macOfCode(key, id, code)), Buffer.from(proof)));
