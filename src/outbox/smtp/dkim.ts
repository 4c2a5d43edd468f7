import { createHash, createPrivateKey, createPublicKey, createSign, type KeyObject } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { SettingsError } from '../../contract/settings.ts';

/** The key that signs emails (RFC 6376), for the sender's domain. */
interface Dkim {
  readonly keySelector: string;
  /** PEM. */
  readonly privateKey: string;
  /** The TXT record of `SELECTOR._domainkey.DOMAIN`. */
  readonly record: string;
}

interface DkimSettings {
  /** A PEM, or the path of a file with one. */
  readonly DKIM_KEY?: string | undefined;
  readonly DKIM_SELECTOR?: string | undefined;
}

/** Receivers reject shorter keys (RFC 8301, section 3.2). */
const leastBits = 1024;

/** Reads the key; undefined if we do not sign. Throws a `SettingsError`. */
export function readDkim({ DKIM_KEY, DKIM_SELECTOR }: DkimSettings): Dkim | undefined {
  if (DKIM_KEY === undefined && DKIM_SELECTOR === undefined) return undefined;
  if (DKIM_KEY === undefined) throw new SettingsError(['DKIM_KEY: must be set, because DKIM_SELECTOR is']);
  if (DKIM_SELECTOR === undefined) throw new SettingsError(['DKIM_SELECTOR: must be set, because DKIM_KEY is']);
  const key = readKey(DKIM_KEY);
  const bits = key.asymmetricKeyDetails?.modulusLength ?? 0;
  if (key.asymmetricKeyType !== 'rsa' || bits < leastBits)
    throw new SettingsError([`DKIM_KEY: must be an RSA key of at least ${leastBits} bits`]);
  const publicKey = createPublicKey(key).export({ type: 'spki', format: 'der' }).toString('base64');
  return {
    keySelector: DKIM_SELECTOR,
    privateKey: key.export({ type: 'pkcs8', format: 'pem' }).toString(),
    record: `v=DKIM1; k=rsa; p=${publicKey}`,
  };
}

function readKey(given: string): KeyObject {
  const key = keyOf(given);
  if (key) return key;
  throw new SettingsError([
    'DKIM_KEY: must be a private key in PEM without a passphrase, or the path of a file that holds one',
  ]);
}

/** Undefined if there is no key. The cause is dropped, since it may quote the key. */
function keyOf(given: string): KeyObject | undefined {
  try {
    // A line of a settings file cannot contain line breaks, so they may be written as \n.
    const isPem = given.startsWith('-----BEGIN');
    return createPrivateKey(isPem ? given.replaceAll('\\n', '\n') : readFileSync(given));
  } catch {
    return undefined;
  }
}

interface Signing {
  readonly domain: string;
  readonly keySelector: string;
  /** PEM. */
  readonly privateKey: string;
}

/** Fields that people see, or that say how to show the rest (RFC 6376, section 5.4.1). */
const signedFields = ['from', 'reply-to', 'subject', 'date', 'to', 'message-id', 'mime-version', 'content-type'];
/**
 * Named once more than they occur, so that an attacker cannot add another one for email clients to show (section 8.15).
 */
const oversignedFields = ['from', 'reply-to', 'subject', 'date', 'to', 'cc'];

/**
 * Signs a whole message (RFC 6376, relaxed/relaxed, rsa-sha256) and returns it with the signature before its headers.
 * nodemailer's own signature omits absent fields, so that an attacker could add a second `From`.
 */
export function withDkimSignature(message: Buffer, { domain, keySelector, privateKey }: Signing): Buffer {
  // One character per octet, since signatures cover bytes.
  const text = message.toString('latin1').replace(/\r?\n/g, '\r\n');
  const end = text.indexOf('\r\n\r\n');
  const fields = text.slice(0, end).split(/\r\n(?![ \t])/);
  const present = signedFields.filter((name) => fieldOf(fields, name) !== undefined);
  const names = [...present, ...oversignedFields];
  const bodyHash = createHash('sha256')
    .update(relaxedBody(text.slice(end + 4)), 'latin1')
    .digest('base64');
  const tags = ['v=1', 'a=rsa-sha256', 'c=relaxed/relaxed', `d=${domain}`, `s=${keySelector}`];
  const unsigned = `DKIM-Signature: ${tags.join('; ')};\r\n h=${names.join(':\r\n ')};\r\n bh=${bodyHash};\r\n b=`;
  const signed = present.flatMap((name) => fieldOf(fields, name) ?? []).map((field) => `${relaxedField(field)}\r\n`);
  const signature = createSign('rsa-sha256')
    .update(signed.join('') + relaxedField(unsigned), 'latin1')
    .sign(privateKey, 'base64');
  const folded = signature.replace(/.{70}(?=.)/g, '$&\r\n ');
  return Buffer.from(`${unsigned}${folded}\r\n${text}`, 'latin1');
}

/** Our messages have each field at most once. */
const fieldOf = (fields: readonly string[], name: string): string | undefined =>
  fields.find((field) => field.slice(0, name.length + 1).toLowerCase() === `${name}:`);

/** RFC 6376, section 3.4.2. */
function relaxedField(field: string): string {
  const colon = field.indexOf(':');
  const value = field
    .slice(colon + 1)
    .replaceAll('\r\n', '')
    .replace(/[ \t]+/g, ' ')
    .replace(/^ | $/g, '');
  return `${field.slice(0, colon).toLowerCase().trim()}:${value}`;
}

/** RFC 6376, section 3.4.4; an empty body stays empty. */
const relaxedBody = (body: string): string =>
  body
    .replace(/[ \t]+(?=\r\n|$)/g, '')
    .replace(/[ \t]+/g, ' ')
    .replace(/(?:\r\n)*$/, '\r\n')
    .replace(/^\r\n$/, '');
