import { createHmac } from 'node:crypto';
import { equal } from './secrets.ts';

const mac = (key: Buffer, call: string) => createHmac('sha256', key).update(`phone confirmation!${call}`).digest();

/** A token for the registration: the id of the confirmed call, and a MAC as proof that this browser confirmed it. */
export const writeConfirmation = (key: Buffer, call: string): string =>
  `${call}.${mac(key, call).toString('base64url')}`;

/** The id of the call that a confirmation is for, or undefined if none of `keys` wrote it. */
export function readConfirmation(keys: readonly Buffer[], text: string): string | undefined {
  const [call = '', tag = '', ...more] = text.split('.');
  if (more.length > 0) return undefined;
  const bytes = Buffer.from(tag, 'base64url');
  return keys.some((key) => equal(mac(key, call), bytes)) ? call : undefined;
}
