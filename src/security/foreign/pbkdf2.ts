import { pbkdf2 as derive } from 'node:crypto';
import { promisify } from 'node:util';
import { equal } from '../secrets.ts';
import { bytesOf, type Scheme } from './scheme.ts';

const keyOf = promisify(derive);
const mostIterations = 2_000_000;
const isBearable: Scheme['isBearable'] = ({ iterations }) =>
  Number(iterations) >= 1 && Number(iterations) <= mostIterations;

/**
 * PHC's and passlib's format: `$pbkdf2-sha256$i=600000$salt$hash`, `$pbkdf2-sha512$25000$salt$hash`, `$pbkdf2$…` with
 * SHA-1.
 */
export const pbkdf2: Scheme = {
  form: /^\$pbkdf2(?:-(?<digest>sha1|sha256|sha512))?\$(?:i=)?(?<iterations>\d{1,7})(?:,l=\d+)?\$(?<salt>[\w+/.=-]+)\$(?<key>[\w+/.=-]{22,})$/,
  isBearable,
  async verify({ digest = 'sha1', iterations, salt, key }, { password }) {
    const right = bytesOf(key);
    return equal(await keyOf(password, bytesOf(salt), Number(iterations), right.length, digest), right);
  },
};

/** Django's format: `pbkdf2_sha256$600000$salt$hash`, with the salt as plain text. */
export const djangoPbkdf2: Scheme = {
  form: /^pbkdf2_(?<digest>sha1|sha256)\$(?<iterations>\d{1,7})\$(?<salt>[^$]+)\$(?<key>[\w+/=]{22,})$/,
  isBearable,
  async verify({ digest = 'sha256', iterations, salt = '', key }, { password }) {
    const right = bytesOf(key);
    return equal(await keyOf(password, salt, Number(iterations), right.length, digest), right);
  },
};
