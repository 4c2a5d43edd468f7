import { createHmac } from 'node:crypto';
import { equal } from './secrets.ts';

/**
 * The stored form of a call's digits, or of an email's secret or code, bound to the id of the request for it. Four
 * digits have no entropy, so the hash is keyed: someone who reads the table cannot try them out.
 */
export const macOfCode = (key: Buffer, id: string, answer: string): string =>
  createHmac('sha256', key).update(`phone proof!${id.length}!${id}!${answer}`).digest('base64url');

/** Whether one of `keys` made the MAC for this id and answer. */
export const isMacOfCode = (
  keys: readonly Buffer[],
  proof: string,
  { id, answer }: { id: string; answer: string },
): boolean => keys.some((key) => equal(Buffer.from(macOfCode(key, id, answer)), Buffer.from(proof)));
