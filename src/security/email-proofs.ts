import { createHmac } from 'node:crypto';
import { equal } from './secrets.ts';

interface Owner {
  readonly accountId: string;
  readonly email: string;
}

/** A secret that only an email to the account's address contains: a signed-in user who knows it reads that email. */
export const writeEmailProof = (key: Buffer, { accountId, email }: Owner): string =>
  createHmac('sha256', key).update(`email proof!${accountId.length}!${accountId}!${email}`).digest('base64url');

/** Whether one of `keys` made the proof for this account and address. */
export const isEmailProof = (keys: readonly Buffer[], proof: string, owner: Owner): boolean =>
  keys.some((key) => equal(Buffer.from(writeEmailProof(key, owner)), Buffer.from(proof)));
