import { createHmac } from 'node:crypto';
import { equal } from './secrets.ts';

/**
 * What is kept of a call's digits, a mail's secret or its code, by the id of what asks for it. Four digits have no entropy, so
 * it is keyed: whoever reads the table cannot try them out.
 */
export const macOfCode = (key: Buffer, id: string, answer: string): string =>
  createHmac('sha256', key).update(`phone proof!${id.length}!${id}!${answer}`).digest('base64url');

/** Whether one of `keys` made the proof for this answer. */
export const isMacOfCode = (
  keys: readonly Buffer[],
  proof: string,
  { id, answer }: { id: string; answer: string },
): boolean => keys.some((key) => equal(Buffer.from(macOfCode(key, id, answer)), Buffer.from(proof)));
