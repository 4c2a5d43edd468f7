import { createHmac } from 'node:crypto';
import { equal } from './secrets.ts';

// Base 32 with lower-case letters: a server may change the case of an address, but not these characters.
const digitsOfId = 26;
const digitsOfProof = 16;
const bytesOfProof = 10;
const form = new RegExp(`^[0-9a-v]{${digitsOfId + digitsOfProof}}$`);

/** Length of a token in characters. */
export const returnTokenLength = digitsOfId + digitsOfProof;

/**
 * A token for an email's return path: it identifies the email by its id, a UUID, and cannot be forged without the key.
 */
export function writeReturnToken(key: Buffer, emailId: string): string {
  const id = BigInt(`0x${emailId.replaceAll('-', '')}`)
    .toString(32)
    .padStart(digitsOfId, '0');
  return id + proofOf(key, emailId);
}

/** The id of the email that a token identifies; undefined if none of `keys` made it. */
export function readReturnToken(keys: readonly Buffer[], token: string): string | undefined {
  const lower = token.toLowerCase();
  if (!form.test(lower)) return undefined;
  const hex = [...lower.slice(0, digitsOfId)]
    .reduce((value, digit) => value * 32n + BigInt(Number.parseInt(digit, 32)), 0n)
    .toString(16)
    .padStart(32, '0');
  const emailId = [[0, 8], [8, 12], [12, 16], [16, 20], [20]].map(([from, to]) => hex.slice(from, to)).join('-');
  const proof = Buffer.from(lower.slice(digitsOfId));
  return keys.some((key) => equal(Buffer.from(proofOf(key, emailId)), proof)) ? emailId : undefined;
}

function proofOf(key: Buffer, emailId: string): string {
  const proof = createHmac('sha256', key).update(`returned letter!${emailId}`).digest();
  return BigInt(`0x${proof.subarray(0, bytesOfProof).toString('hex')}`)
    .toString(32)
    .padStart(digitsOfProof, '0');
}
