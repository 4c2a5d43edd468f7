import type { Resolver } from 'node:dns/promises';
import { download } from '../bounces/download.ts';
import type { Download } from '../bounces/relays/sns.ts';
import { examineMtaSts } from './mta-sts.ts';

/** A finding about one DNS record of a sender domain. */
export interface DomainFinding {
  readonly record: 'SPF' | 'DKIM' | 'DMARC' | 'bounces' | 'MTA-STS';
  readonly state: 'ok' | 'warning' | 'failed';
  readonly says: string;
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
export async function examineSenderDomain({
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
    look('DKIM', () => examineDkim({ domain, selector, own: key, txt })),
    look('DMARC', () => examineDmarc(domain, txt)),
    look('bounces', async () => judgeBounces(returnPath, servers && taking)),
    ...(taking.length === 0
      ? []
      : [look('MTA-STS', () => examineMtaSts({ domain: bounceDomain, servers: taking, txt, fetchText }))]),
  ]);
  return looked;
}

type RecordFinding = Omit<DomainFinding, 'record'>;
type Txt = (name: string) => Promise<readonly string[]>;

const ok = (says: string): RecordFinding => ({ state: 'ok', says });
const warning = (says: string): RecordFinding => ({ state: 'warning', says });
const failed = (says: string): RecordFinding => ({ state: 'failed', says });

async function look(record: DomainFinding['record'], work: () => Promise<RecordFinding>): Promise<DomainFinding> {
  try {
    return { record, ...(await work()) };
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code ?? 'no response';
    return { record, ...warning(`cannot be looked up from here (${code})`) };
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
  if (!spf) return warning(`${domain} has no SPF record: add a TXT record "v=spf1 include:… -all"`);
  if (more.length > 0) return failed(`${domain} has more than one record "v=spf1", so receivers ignore them`);
  return /\s\+?all\b/i.test(spf) ? warning(`${domain} lets any server send for it: end the record with -all`) : ok(spf);
}

interface Dkim {
  readonly domain: string;
  readonly selector: string | undefined;
  readonly own: string | undefined;
  readonly txt: Txt;
}

async function examineDkim({ domain, selector, own, txt }: Dkim): Promise<RecordFinding> {
  if (selector === undefined) return ok('not looked up: give the selector of your mail server with --dkim SELECTOR');
  const name = `${selector}._domainkey.${domain}`;
  const key = (await txt(name)).find((record) => /(^|;)\s*p=/i.test(record));
  if (!key) return failed(`${name} has no key: publish ${own ?? 'the record that your mail server gives you'}`);
  if (own !== undefined && publicKeyOf(key) !== publicKeyOf(own))
    return failed(`${name} has a different key than DKIM_KEY: publish ${own}`);
  return /(^|;)\s*p=\s*(;|$)/i.test(key) ? failed(`${name} has a revoked key`) : ok(name);
}

const publicKeyOf = (record: string): string | undefined =>
  /(?:^|;)\s*p=([^;]*)/i.exec(record)?.[1]?.replace(/\s/g, '');

/** Looks for the record at the domain, then at its parents. */
async function examineDmarc(domain: string, txt: Txt): Promise<RecordFinding> {
  const labels = domain.split('.');
  for (let at = 0; at < labels.length - 1; at += 1) {
    const name = `_dmarc.${labels.slice(at).join('.')}`;
    const record = (await txt(name)).find((one) => /^v=DMARC1\b/i.test(one));
    if (record) return ok(record);
  }
  return warning(
    `no record at _dmarc.${domain}: add a TXT record "v=DMARC1; p=none; rua=mailto:dmarc@${domain}" there`,
  );
}

/** `servers`: undefined if the lookup failed. */
function judgeBounces(returnPath: string, servers: readonly string[] | undefined): RecordFinding {
  if (servers === undefined) return warning('cannot be looked up from here (no response)');
  if (servers.length === 0)
    return warning(
      `no server accepts email for ${returnPath}: set MAIL_RETURN_PATH to a mailbox, or BOUNCE_ADDRESS to an address that accepts email`,
    );
  return ok(returnPath);
}
