import { createHmac } from 'node:crypto';
import { equal } from '../../../security/macs.ts';

/**
 * A refresh token says from which grant and code it comes, how many came before it, and that we made it. So a repeated request
 * gets the same successor although we store only hashes, and an old copy is recognized although its row is gone.
 */
interface Place {
  readonly grantId: string;
  /** The tokens that follow from one code. */
  readonly family: string;
  readonly number: number;
}

const mac = (key: Buffer, purpose: string, text: string): string =>
  createHmac('sha256', key).update(`client refresh token!${purpose}!`).update(text).digest('base64url');

/** The code that answers a request which our pages have finished. */
export const codeOf = (key: Buffer, request: string): string => mac(key, 'code', request);

function write(key: Buffer, { grantId, family, number }: Place): string {
  const text = `${grantId}.${family}.${number}`;
  return `${text}.${mac(key, 'token', text)}`;
}

const form = /^(([\w-]{43})\.([\w-]{22})\.(\d{1,9}))\.([\w-]{43})$/;

/** The place of a token that one of the keys made; undefined for any other text. */
export function placeOf(keys: readonly Buffer[], token: string): Place | undefined {
  const [, text = '', grantId = '', family = '', number, signature = ''] = form.exec(token) ?? [];
  const isOurs = keys.some((key) => equal(Buffer.from(mac(key, 'token', text)), Buffer.from(signature)));
  return isOurs ? { grantId, family, number: Number(number) } : undefined;
}

/** The first refresh token of a code, or the next one after a refresh token: one text for each key, the current key first. */
export function successorsOf(
  keys: readonly Buffer[],
  { parent, grantId }: { readonly parent: string; readonly grantId: string },
): readonly string[] {
  const place = placeOf(keys, parent);
  return keys.map((key) =>
    place
      ? write(key, { ...place, number: place.number + 1 })
      : write(key, { grantId, family: mac(key, 'family', parent).slice(0, 22), number: 0 }),
  );
}

/** The refresh token before this one, one text for each key; none for the first. */
export function parentsOf(keys: readonly Buffer[], token: string): readonly string[] {
  const place = placeOf(keys, token);
  if (!place || place.number === 0) return [];
  return keys.map((key) => write(key, { ...place, number: place.number - 1 }));
}
