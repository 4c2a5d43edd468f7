import { createHash, createSign } from 'node:crypto';

interface Signing {
  /** The domain of `From`. */
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
