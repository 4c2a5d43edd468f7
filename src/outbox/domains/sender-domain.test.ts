import { createSocket, type RemoteInfo } from 'node:dgram';
import { Resolver } from 'node:dns/promises';
import type { AddressInfo } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { isMailbox, readMailFrom } from './addresses.ts';
import { checkSenderDomain } from './sender-domain.ts';

async function checked(
  zone: Zone,
  { domain = 'account.example.com', policy, ...more }: { domain?: string; selector?: string; policy?: string } = {},
) {
  const fetchText = async (url: string): Promise<string> => {
    if (policy === undefined) throw new Error(`${url} does not respond`);
    return policy;
  };
  const resolver = new Resolver({ timeout: 2000, tries: 2 });
  resolver.setServers([await startDnsServer(zone)]);
  const findings = await checkSenderDomain({ domain, returnPath: `bounces@${domain}`, resolver, fetchText, ...more });
  return Object.fromEntries(findings.map(({ record, state, says }) => [record, `${state}: ${says}`]));
}

const key = `v=DKIM1; k=rsa; p=${'MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8A'.repeat(12)}`;
const whole: Zone = {
  'account.example.com': { txt: ['site=1', 'v=spf1 include:_spf.mail.example.com -all'], mx: ['mx.example.com'] },
  'key1._domainkey.account.example.com': { txt: [key] },
  '_dmarc.account.example.com': { txt: ['v=DMARC1; p=quarantine'] },
  '_mta-sts.account.example.com': { txt: ['v=STSv1; id=20261121'] },
};
const enforced = 'version: STSv1\r\nmode: enforce\r\nmx: MX.example.com\r\nmax_age: 604800\r\n';

describe('a sender domain', () => {
  it('passes if it has all records that large email providers require', async () => {
    expect(await checked(whole, { selector: 'key1', policy: enforced })).toEqual({
      SPF: 'ok: v=spf1 include:_spf.mail.example.com -all',
      DKIM: 'ok: key1._domainkey.account.example.com',
      DMARC: 'ok: v=DMARC1; p=quarantine',
      bounces: 'ok: bounces@account.example.com',
      'MTA-STS': 'ok: enforced',
    });
  });

  it('may have the DMARC policy of its parent domain', async () => {
    const zone = { ...whole, '_dmarc.account.example.com': {}, '_dmarc.example.com': { txt: ['v=DMARC1; p=reject'] } };
    expect(await checked(zone)).toMatchObject({ DMARC: 'ok: v=DMARC1; p=reject' });
  });

  it('without records gets instructions', async () => {
    const found = await checked({}, { selector: 'key1' });
    expect(found.SPF).toMatch(/^warning: account\.example\.com has no SPF record: .* TXT record "v=spf1/);
    expect(found.DKIM).toMatch(/^failed: key1\._domainkey\.account\.example\.com has no key/);
    expect(found.DMARC).toMatch(/^warning: no record at _dmarc\.account\.example\.com/);
    expect(found.bounces).toMatch(
      /^warning: no server accepts email for bounces@account\.example\.com.*MAIL_RETURN_PATH/,
    );
    expect(found).not.toHaveProperty('MTA-STS');
  });

  it.each([
    [{ txt: ['v=spf1 -all', 'v=spf1 include:a.example -all'] }, 'SPF', /^failed: .*more than one record/],
    [{ txt: ['v=spf1 +all'] }, 'SPF', /^warning: .*lets any server send/],
    [{ txt: ['v=spf10 -all'] }, 'SPF', /^warning: .*has no SPF record/],
    [{ mx: ['.'] }, 'bounces', /^warning: no server accepts email/],
  ])('with %j gets a finding about %s', async (name, record, says) => {
    expect((await checked({ ...whole, 'account.example.com': name }))[record]).toMatch(says);
  });

  it('with a revoked key fails', async () => {
    const zone = { ...whole, 'key1._domainkey.account.example.com': { txt: ['v=DKIM1; p='] } };
    expect((await checked(zone, { selector: 'key1' })).DKIM).toMatch(/^failed: .*revoked/);
  });

  it.each<[string, readonly string[], string | undefined, RegExp]>([
    [
      'no record',
      [],
      undefined,
      /^ok: none, .* add a TXT record "v=STSv1; id=1" at _mta-sts\.account\.example\.com, and a policy/,
    ],
    ['two records', ['v=STSv1; id=1', 'v=STSv1; id=2'], enforced, /^failed: .*more than one record/],
    ['a record without an id', ['v=STSv1;'], enforced, /^failed: .*has no id/],
    [
      'a record without a policy',
      ['v=STSv1; id=1'],
      undefined,
      /^failed: .*announces a policy.*https:\/\/mta-sts\.account/,
    ],
    ['another page instead of a policy', ['v=STSv1; id=1'], '<html>', /^failed: .*is not a policy/],
    [
      'a policy for another server',
      ['v=STSv1; id=1'],
      enforced.replace('MX.', 'old.'),
      /^failed: .*not list mx\.example\.com/,
    ],
    [
      'a policy for subdomains of the server',
      ['v=STSv1; id=1'],
      enforced.replace('MX.', '*.mx.'),
      /^failed: .*add "mx: mx\.example/,
    ],
    ['a policy for all servers', ['v=STSv1; id=1'], enforced.replace('MX.', '*.'), /^ok: enforced$/],
    [
      'a policy in testing mode',
      ['v=STSv1; id=1'],
      enforced.replace('enforce', 'testing'),
      /^ok: testing: change it to "mode: enforce"/,
    ],
  ])('with MTA-STS, %s', async (_, txt, policy, says) => {
    const zone = { ...whole, '_mta-sts.account.example.com': { txt } };
    expect((await checked(zone, policy === undefined ? {} : { policy }))['MTA-STS']).toMatch(says);
  });

  it('does not fail if no name server responds', async () => {
    const resolver = new Resolver({ timeout: 100, tries: 1 });
    resolver.setServers(['127.0.0.1:9']);
    const findings = await checkSenderDomain({ domain: 'example.com', returnPath: 'a@example.com', resolver });
    expect(findings.filter(({ state }) => state === 'failed')).toEqual([]);
    expect(findings[0]?.says).toMatch(/^cannot be looked up from here/);
  });

  it.each(['localhost', 'sign-in.example', 'mail.internal'])(
    'is not looked up as %s, which is outside the public DNS',
    async (domain) => {
      expect(await checked({}, { domain })).toEqual({});
    },
  );
});

/** Records by name: TXT texts, and MX hosts. */
type Zone = Readonly<Record<string, { readonly txt?: readonly string[]; readonly mx?: readonly string[] }>>;

const types = { mx: 15, txt: 16 };

/**
 * A name server on this machine (RFC 1035), until the test ends. Only the names in `zone` exist. Returns its address.
 */
async function startDnsServer(zone: Zone): Promise<string> {
  const server = createSocket('udp4');
  server.on('message', (query: Buffer, from: RemoteInfo) => server.send(respond(query, zone), from.port, from.address));
  await new Promise<void>((resolve) => server.bind(0, '127.0.0.1', resolve));
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function respond(query: Buffer, zone: Zone): Buffer {
  const { name, type, end } = question(query);
  const known = zone[name.toLowerCase()];
  const data =
    type === types.txt
      ? (known?.txt ?? []).map(asTxt)
      : (type === types.mx ? (known?.mx ?? []) : []).map((host) => Buffer.concat([Buffer.from([0, 10]), asName(host)]));
  const head = Buffer.alloc(12);
  query.copy(head, 0, 0, 2);
  // An authoritative response; 3 (NXDOMAIN) means that the name does not exist.
  head.writeUInt16BE(0x8580 | (known ? 0 : 3), 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(data.length, 6);
  return Buffer.concat([head, query.subarray(12, end), ...data.map((one) => record(type, one))]);
}

function question(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  while (query.readUInt8(at) > 0) {
    const length = query.readUInt8(at);
    labels.push(query.toString('ascii', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.'), type: query.readUInt16BE(at + 1), end: at + 5 };
}

/** A record for the name in the question, with a TTL of one minute. */
function record(type: number, data: Buffer): Buffer {
  const head = Buffer.alloc(12);
  head.writeUInt16BE(0xc00c, 0);
  head.writeUInt16BE(type, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt32BE(60, 6);
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, data]);
}

const withLength = (text: string): Buffer => Buffer.concat([Buffer.from([text.length]), Buffer.from(text, 'ascii')]);
const asName = (name: string): Buffer =>
  Buffer.concat([...name.split('.').filter(Boolean).map(withLength), Buffer.from([0])]);
/** Splits the text into parts of at most 255 bytes. */
const asTxt = (text: string): Buffer => Buffer.concat((text.match(/.{1,255}/g) ?? ['']).map(withLength));

it.each([
  { setting: 'no-reply@sign-in.example', from: { name: 'Vestibule', address: 'no-reply@sign-in.example' } },
  { setting: 'root@localhost', from: { name: 'Vestibule', address: 'root@localhost' } },
  { setting: 'Front Door <door@sign-in.example>', from: { name: 'Front Door', address: 'door@sign-in.example' } },
  { setting: 'Haustür Inc. <door@sign-in.example>', from: { name: 'Haustür Inc.', address: 'door@sign-in.example' } },
  { setting: '"Front, Door" <door@sign-in.example>', from: { name: 'Front, Door', address: 'door@sign-in.example' } },
  {
    setting: String.raw`"The \"Door\"" <door@sign-in.example>`,
    from: { name: 'The "Door"', address: 'door@sign-in.example' },
  },
  { setting: '<door@sign-in.example>', from: { name: 'Vestibule', address: 'door@sign-in.example' } },
])('MAIL_FROM=$setting', ({ setting, from }) => expect(readMailFrom(setting, 'Vestibule')).toEqual(from));

it.each([
  '',
  'door',
  'door@',
  '@sign-in.example',
  'door@sign-in..example',
  'door@-sign-in.example',
  'do or@sign-in.example',
  'door@sign-in.example, other@sign-in.example',
  'Door <door@sign-in.example',
  'Door door@sign-in.example>',
  'Front, Door <door@sign-in.example>',
  'Door <a@b@sign-in.example>',
  'Door <door@sign-in.example> more',
  'group: a@sign-in.example, b@sign-in.example;',
])('MAIL_FROM=%s is refused with an error that names the setting', (setting) => {
  expect(() => readMailFrom(setting, 'Vestibule')).toThrow(/^MAIL_FROM: /);
});

it.each([
  ['help@sign-in.example', true],
  ['help@localhost', true],
  ['Help <help@sign-in.example>', false],
  ['help@@sign-in.example', false],
  ['help@sign-in.example\r\nBcc: eve@evil.example', false],
  ['a@b@c.example', false],
  ['hilfe@bücher.example', true],
  ['почта@пример.рф', false],
])('%j is one mailbox: %s', (address, is) => expect(isMailbox(address)).toBe(is));
