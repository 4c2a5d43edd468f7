import { Resolver } from 'node:dns/promises';
import { describe, expect, it } from 'vitest';
import { startDnsServer, type Zone } from '../../testing/mail/dns-server.ts';
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
