import { createHash, createPublicKey, createVerify, generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { startMailServer } from '../../testing/mail/mail-server.ts';
import type { EmailMessage } from '../compose.ts';
import { checkSenderDomain } from '../domains/sender-domain.ts';
import { readDkim } from './dkim.ts';
import { smtpSender } from './smtp.ts';

const pemOf = (key: { export(format: { type: 'pkcs8'; format: 'pem' }): string | Buffer }) =>
  key.export({ type: 'pkcs8', format: 'pem' }).toString();
const rsa = (modulusLength = 2048) => pemOf(generateKeyPairSync('rsa', { modulusLength }).privateKey);
const key = rsa();
const keyed = { DKIM_KEY: key, DKIM_SELECTOR: 'key1' };
const recordOf = (DKIM_KEY: string) => readDkim({ ...keyed, DKIM_KEY })?.record ?? '';

/** RFC 6376, section 3.4.2. */
const relaxedHeader = (header: string) => {
  const [name = '', ...value] = header.split(':');
  return `${name.toLowerCase().trim()}:${value.join(':').replace(/\r\n/g, '').replace(/\s+/g, ' ').trim()}`;
};
/** RFC 6376, section 3.4.4. */
const relaxedBody = (body: string) =>
  `${body
    .replace(/[ \t]+/g, ' ')
    .replace(/ \r\n/g, '\r\n')
    .replace(/(\r\n)*$/, '')}\r\n`;

/** Checks a signature as a receiver does: the hash of the body, then the signature of the headers that it names. */
function isSigned(raw: string, record: string): boolean {
  const [head = '', ...rest] = raw.split('\r\n\r\n');
  const headers = head.split(/\r\n(?![ \t])/);
  const signature = headers.find((header) => /^dkim-signature:/i.test(header)) ?? expect.fail('not signed');
  const tag = (name: string) =>
    new RegExp(`(?:[;:]|^)\\s*${name}=([^;]*)`).exec(signature.slice(15))?.[1]?.replace(/\s/g, '') ?? '';
  const bodyHash = createHash('sha256')
    .update(relaxedBody(rest.join('\r\n\r\n')), 'utf8')
    .digest('base64');
  // RFC 6376, section 5.4.2: from the bottom up; a name without a further field counts as empty.
  const left = [...headers];
  const signed = tag('h')
    .split(':')
    .map((name) => {
      const at = left.findLastIndex((one) => one.toLowerCase().startsWith(`${name.toLowerCase()}:`));
      return at < 0 ? undefined : left.splice(at, 1)[0];
    });
  const withoutValue = signature.replace(/(\bb=)[^;]*/, '$1');
  const text = [...signed.flatMap((header) => header ?? []), withoutValue].map(relaxedHeader).join('\r\n');
  const publicKey = createPublicKey({
    key: Buffer.from(record.split('p=')[1] ?? '', 'base64'),
    format: 'der',
    type: 'spki',
  });
  return tag('bh') === bodyHash && createVerify('rsa-sha256').update(text).verify(publicKey, tag('b'), 'base64');
}

const email = {
  id: '019a0000-0000-7000-8000-000000000001',
  messageId: '<019a0000-0000-7000-8000-000000000001@sign-in.example>',
  language: 'de',
  from: { name: 'Vestibüle', address: 'no-reply@sign-in.example' },
  to: 'ada@mail.example',
  returnPath: 'bounces@elsewhere.example',
  date: new Date(Date.UTC(2026, 10, 21, 12)),
  subject: 'Neues Passwort',
  text: 'Hallo  Ada,\n\ngrüß dich.  \n\n\n',
  html: '<p>Hallo Ada</p>',
} as const;

async function sent(
  settings: { DKIM_KEY?: string; DKIM_SELECTOR?: string },
  changes: Partial<EmailMessage> = {},
): Promise<string> {
  const server = await startMailServer();
  const SMTP_URL = `smtp://127.0.0.1:${server.port}`;
  const sender = smtpSender({ PUBLIC_URL: 'https://sign-in.example', SMTP_URL, ...settings });
  await sender.send({ ...email, replyTo: undefined, ...changes });
  await sender.close();
  return server.arrived[0]?.raw ?? '';
}

it('an email has a signature by the domain that people see, which the key in the DNS verifies', async () => {
  const raw = await sent(keyed);
  const record = recordOf(key);
  expect(raw).toMatch(/DKIM-Signature: .*d=sign-in\.example;[\s\S]*s=key1;/);
  expect(isSigned(raw, record)).toBe(true);
  expect(isSigned(raw.replace('Neues Passwort', 'Altes Passwort'), record)).toBe(false);
  expect(isSigned(raw.replace('Hallo', 'Servus'), record)).toBe(false);
  const other = recordOf(rsa());
  expect(isSigned(raw, other)).toBe(false);
});

it.each(['From', 'Subject', 'To', 'Cc', 'Reply-To', 'Date'])(
  'an attacker cannot add a %s to a signed email, above the signature or below',
  async (name) => {
    const raw = await sent(keyed);
    const record = recordOf(key);
    const added = `${name}: thief@evil.example\r\n`;
    expect(isSigned(`X-Any: thing\r\n${raw}`, record)).toBe(true);
    expect(isSigned(added + raw, record)).toBe(false);
    expect(isSigned(raw.replace('\r\n\r\n', `\r\n${added}\r\n`), record)).toBe(false);
  },
);

it('an internationalized domain is signed in its DNS form', async () => {
  const from = { name: 'Bücher', address: 'no-reply@bücher.example' };
  const raw = await sent(keyed, { from });
  const record = recordOf(key);
  expect(raw).toMatch(/DKIM-Signature: .*d=xn--bcher-kva\.example;/);
  expect(isSigned(raw, record)).toBe(true);
});

it('without a key, emails are not signed', async () => expect(await sent({})).not.toMatch(/DKIM-Signature/i));

it('the key may be a file, or one line', () => {
  const folder = mkdtempSync(join(tmpdir(), 'vestibule-dkim-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  const file = join(folder, 'dkim.pem');
  writeFileSync(file, key);
  const whole = readDkim(keyed);
  expect(readDkim({ ...keyed, DKIM_KEY: file })).toEqual(whole);
  expect(readDkim({ ...keyed, DKIM_KEY: key.replaceAll('\n', '\\n') })).toEqual(whole);
});

it.each([
  ['a key without a selector', { DKIM_KEY: key }, /^DKIM_SELECTOR: must be set/],
  ['a selector without a key', { DKIM_SELECTOR: 'key1' }, /^DKIM_KEY: must be set/],
  ['a missing file', { DKIM_KEY: '/nowhere/dkim.pem', DKIM_SELECTOR: 'key1' }, /^DKIM_KEY: must be a private key/],
  ['half a key', { DKIM_KEY: key.slice(0, 400), DKIM_SELECTOR: 'key1' }, /^DKIM_KEY: must be a private key/],
  [
    'a key type that receivers may not know',
    { DKIM_KEY: pemOf(generateKeyPairSync('ed25519').privateKey), DKIM_SELECTOR: 'key1' },
    /^DKIM_KEY: must be an RSA key/,
  ],
  ['a key that receivers reject', { DKIM_KEY: rsa(768), DKIM_SELECTOR: 'key1' }, /^DKIM_KEY: must be an RSA key/],
])('%s is refused without quoting the key', (_, settings, expected) => {
  const refusal = (() => {
    try {
      return readDkim(settings);
    } catch (error) {
      return (error as Error).message;
    }
  })();
  expect(refusal).toMatch(expected);
  expect(refusal).not.toContain(key.slice(60, 90));
});

it('the doctor says which record to add, and notices a different key', async () => {
  const record = recordOf(key);
  const other = recordOf(rsa());
  const judged = async (published: string[]) => {
    const resolver = {
      resolveTxt: async (name: string) => (name === 'key1._domainkey.shop.com' ? published.map((one) => [one]) : []),
      resolveMx: async () => [],
    };
    const asked = { domain: 'shop.com', returnPath: 'a@shop.com', selector: 'key1', key: record, resolver };
    return (await checkSenderDomain(asked)).find((one) => one.record === 'DKIM');
  };
  expect(await judged([])).toMatchObject({ state: 'failed', says: expect.stringContaining(record) });
  expect(await judged([other])).toMatchObject({ state: 'failed', says: expect.stringContaining('different key') });
  expect(await judged([record])).toMatchObject({ state: 'ok' });
});
