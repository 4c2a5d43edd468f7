import { createHmac } from 'node:crypto';
import { equal } from './secrets.ts';

const mac = (key: Buffer, purpose: string, text: string) =>
  createHmac('sha256', key).update(`${purpose}!${text}`).digest();

/**
 * What is kept of a call's digits or a mail's secret. Four digits have no entropy, so it is keyed: whoever
 * reads the table cannot try them out.
 */
export const proofOf = (key: Buffer, call: string, answer: string): string =>
  mac(key, 'phone proof', `${call.length}!${call}!${answer}`).toString('base64url');

/** Whether one of `keys` made the proof for this answer to this call. */
export const isProof = (
  keys: readonly Buffer[],
  proof: string,
  { call, answer }: { call: string; answer: string },
): boolean => keys.some((key) => equal(Buffer.from(proofOf(key, call, answer)), Buffer.from(proof)));

/** What a registration sends along: the call that was confirmed, and our word that this browser confirmed it. */
export const writeConfirmation = (key: Buffer, call: string): string =>
  `${call}.${mac(key, 'phone confirmation', call).toString('base64url')}`;

/** The call that a confirmation is of, or undefined when none of `keys` wrote it. */
export function readConfirmation(keys: readonly Buffer[], text: string): string | undefined {
  const [call = '', tag = '', ...more] = text.split('.');
  if (more.length > 0) return undefined;
  const bytes = Buffer.from(tag, 'base64url');
  return keys.some((key) => equal(mac(key, 'phone confirmation', call), bytes)) ? call : undefined;
}
