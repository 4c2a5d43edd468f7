import type { Resolver } from 'node:dns/promises';
import type { Download } from '../bounces/relays/ses.ts';
import { download } from '../bounces/relays.ts';

interface DomainFinding {
  readonly record: 'SPF' | 'DKIM' | 'DMARC' | 'bounces' | 'MTA-STS';
  readonly state: 'ok' | 'warning' | 'failed';
  readonly says: string;
  /** What is wrong where, and in `words` what belongs there. */
  readonly concern?:
    | { readonly code: 'dns_missing' | 'dns_wrong'; readonly name: string; readonly words: string }
    | { readonly code: 'dns_bounces'; readonly address: string }
    | { readonly code: 'dns_unanswered' };
}

interface SenderDomainInput {
  /** The domain of `MAIL_FROM`. */
  readonly domain: string;
  /** Address for bounces; SPF applies to its domain (RFC 7208, section 2.4). */
  readonly returnPath: string;
  /** Selector of the mail server's signature. Each email contains it, but the DNS does not list it. */
  readonly selector?: string | undefined;
  /** The expected DKIM record, if we sign ourselves. */
  readonly key?: string | undefined;
  readonly resolver: Pick<Resolver, 'resolveTxt' | 'resolveMx'>;
  /** Downloads the MTA-STS policy. */
  readonly fetchText?: Download;
}

/** Names outside the public DNS (RFC 6761, RFC 8375). */
const notPublic = /^[^.]+$|\.(example|test|invalid|localhost|internal|local|home\.arpa)$/i;

/** Looks up the records that large email providers require. Returns no findings for a domain outside the public DNS. */
export async function checkSenderDomain({
  domain,
  returnPath,
  selector,
  key,
  resolver,
  fetchText = download,
}: SenderDomainInput): Promise<DomainFinding[]> {
  if (notPublic.test(domain)) return [];
  const bounceDomain = returnPath.slice(returnPath.lastIndexOf('@') + 1);
  const txt = async (name: string) => (await orNone(resolver.resolveTxt(name))).map((parts) => parts.join(''));
  const servers = await orNone(resolver.resolveMx(bounceDomain)).catch(() => undefined);
  const taking = (servers ?? [])
    .map(({ exchange }) => exchange)
    .filter((exchange) => exchange !== '' && exchange !== '.');
  const looked = await Promise.all([
    look('SPF', async () => judgeSpf(bounceDomain, await txt(bounceDomain))),
    look('DKIM', () => checkDkim({ domain, selector, own: key, txt })),
    look('DMARC', () => checkDmarc(domain, txt)),
    look('bounces', async () => judgeBounces(returnPath, servers && taking)),
    ...(taking.length === 0
      ? []
      : [look('MTA-STS', () => checkMtaSts({ domain: bounceDomain, servers: taking, txt, fetchText }))]),
  ]);
  return looked;
}

type RecordFinding = Omit<DomainFinding, 'record'>;
type Txt = (name: string) => Promise<readonly string[]>;

type Concern = NonNullable<DomainFinding['concern']>;

const ok = (says: string): RecordFinding => ({ state: 'ok', says });
const warning = (says: string, concern: Concern): RecordFinding => ({ state: 'warning', says, concern });
const failed = (says: string, concern: Concern): RecordFinding => ({ state: 'failed', says, concern });
const missing = (name: string, words: string): Concern => ({ code: 'dns_missing', name, words });
const wrong = (name: string, words: string): Concern => ({ code: 'dns_wrong', name, words });

async function look(record: DomainFinding['record'], work: () => Promise<RecordFinding>): Promise<DomainFinding> {
  try {
    return { record, ...(await work()) };
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'no response';
    return { record, ...warning(`cannot be looked up from here (${code})`, { code: 'dns_unanswered' }) };
  }
}

/** A missing record is a valid result. */
async function orNone<Found>(asked: Promise<Found[]>): Promise<Found[]> {
  try {
    return await asked;
  } catch (error) {
    if (['ENODATA', 'ENOTFOUND'].includes((error as NodeJS.ErrnoException).code ?? '')) return [];
    throw error;
  }
}

function judgeSpf(domain: string, records: readonly string[]): RecordFinding {
  const [spf, ...more] = records.filter((record) => /^v=spf1(\s|$)/i.test(record));
  const example = 'v=spf1 include:… -all';
  if (!spf) return warning(`${domain} has no SPF record: add a TXT record "${example}"`, missing(domain, example));
  if (more.length > 0)
    return failed(`${domain} has more than one record "v=spf1", so receivers ignore them`, wrong(domain, example));
  return /\s\+?all\b/i.test(spf)
    ? warning(`${domain} lets any server send for it: end the record with -all`, wrong(domain, example))
    : ok(spf);
}

interface Dkim {
  readonly domain: string;
  readonly selector: string | undefined;
  readonly own: string | undefined;
  readonly txt: Txt;
}

async function checkDkim({ domain, selector, own, txt }: Dkim): Promise<RecordFinding> {
  if (selector === undefined) return ok('not looked up: give the selector of your mail server with --dkim SELECTOR');
  const name = `${selector}._domainkey.${domain}`;
  const key = (await txt(name)).find((record) => /(^|;)\s*p=/i.test(record));
  const words = own ?? 'v=DKIM1; p=…';
  if (!key)
    return failed(
      `${name} has no key: publish ${own ?? 'the record that your mail server gives you'}`,
      missing(name, words),
    );
  if (own !== undefined && publicKeyOf(key) !== publicKeyOf(own))
    return failed(`${name} has a different key than DKIM_KEY: publish ${own}`, wrong(name, words));
  return /(^|;)\s*p=\s*(;|$)/i.test(key) ? failed(`${name} has a revoked key`, wrong(name, words)) : ok(name);
}

const publicKeyOf = (record: string): string | undefined =>
  /(?:^|;)\s*p=([^;]*)/i.exec(record)?.[1]?.replace(/\s/g, '');

/** Looks for the record at the domain, then at its parents. */
async function checkDmarc(domain: string, txt: Txt): Promise<RecordFinding> {
  const labels = domain.split('.');
  for (let at = 0; at < labels.length - 1; at += 1) {
    const name = `_dmarc.${labels.slice(at).join('.')}`;
    const record = (await txt(name)).find((one) => /^v=DMARC1\b/i.test(one));
    if (record) return ok(record);
  }
  const words = `v=DMARC1; p=none; rua=mailto:dmarc@${domain}`;
  return warning(
    `no record at _dmarc.${domain}: add a TXT record "${words}" there`,
    missing(`_dmarc.${domain}`, words),
  );
}

/** `servers`: undefined if the lookup failed. */
function judgeBounces(returnPath: string, servers: readonly string[] | undefined): RecordFinding {
  if (servers === undefined) return warning('cannot be looked up from here (no response)', { code: 'dns_unanswered' });
  if (servers.length === 0)
    return warning(
      `no server accepts email for ${returnPath}: set MAIL_RETURN_PATH to a mailbox, or BOUNCE_ADDRESS to an address that accepts email`,
      { code: 'dns_bounces', address: returnPath },
    );
  return ok(returnPath);
}

interface MtaStsInput {
  /** The domain of the return path. */
  readonly domain: string;
  /** The hosts in its MX records. */
  readonly servers: readonly string[];
  readonly txt: (name: string) => Promise<readonly string[]>;
  readonly fetchText: Download;
}

/**
 * Checks whether senders must encrypt email to a domain (RFC 8461), and whether its policy lets them deliver at all.
 */
async function checkMtaSts({ domain, servers, txt, fetchText }: MtaStsInput): Promise<RecordFinding> {
  const name = `_mta-sts.${domain}`;
  const url = `https://mta-sts.${domain}/.well-known/mta-sts.txt`;
  const [record, ...more] = (await txt(name)).filter((one) => /^v=STSv1\s*;/.test(one));
  const example = 'v=STSv1; id=1';
  if (record === undefined)
    return ok(
      `none, so email to ${domain} may be read in transit: add a TXT record "${example}" at ${name}, and a policy at ${url}`,
    );
  if (more.length > 0)
    return failed(`${name} has more than one record "v=STSv1", so senders ignore them`, wrong(name, example));
  if (!/;\s*id=[a-z\d]{1,32}\s*(;|$)/i.test(record))
    return failed(`${name} has no id: make it "${example}"`, wrong(name, example));
  const policy = await fetchText(url).catch(() => undefined);
  if (policy === undefined)
    return failed(
      `${name} announces a policy, but it cannot be fetched from ${url}`,
      missing(url, 'version: STSv1, mode: enforce'),
    );
  return judge({ policy, url, servers });
}

function judge({ policy, url, servers }: { policy: string; url: string; servers: readonly string[] }): RecordFinding {
  const fields = policy.split(/\r?\n/).map((line) => line.split(':', 2).map((part) => part.trim()));
  const valuesOf = (wanted: string) => fields.filter(([name]) => name === wanted).map(([, value = '']) => value);
  const [[version], [mode = ''], patterns] = [valuesOf('version'), valuesOf('mode'), valuesOf('mx')];
  if (version !== 'STSv1' || !['enforce', 'testing', 'none'].includes(mode))
    return failed(
      `${url} is not a policy: it must begin with "version: STSv1" and have a line "mode: enforce"`,
      wrong(url, 'version: STSv1, mode: enforce'),
    );
  const unlisted = servers.filter((server) => !patterns.some((pattern) => isMatch(pattern, server)));
  if (mode === 'enforce' && unlisted.length > 0)
    return failed(
      `${url} does not list ${unlisted.join(', ')}, so senders must not deliver there: add "mx: ${unlisted[0]}"`,
      wrong(url, `mx: ${unlisted[0]}`),
    );
  return ok(mode === 'enforce' ? 'enforced' : `${mode}: change it to "mode: enforce" once reports are clean`);
}

/** RFC 8461, section 4.1: a wildcard stands for the leftmost label only. */
function isMatch(pattern: string, server: string): boolean {
  const [wanted, host] = [pattern, server].map((name) => name.toLowerCase().replace(/\.$/, '')) as [string, string];
  return wanted.startsWith('*.') ? host.slice(host.indexOf('.')) === wanted.slice(1) : host === wanted;
}
