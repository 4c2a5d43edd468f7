import type { Download } from '../bounces/relays/sns.ts';

interface MtaStsFinding {
  readonly state: 'ok' | 'warning' | 'failed';
  readonly says: string;
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
export async function examineMtaSts({ domain, servers, txt, fetchText }: MtaStsInput): Promise<MtaStsFinding> {
  const name = `_mta-sts.${domain}`;
  const url = `https://mta-sts.${domain}/.well-known/mta-sts.txt`;
  const [record, ...more] = (await txt(name)).filter((one) => /^v=STSv1\s*;/.test(one));
  if (record === undefined)
    return {
      state: 'ok',
      says: `none, so email to ${domain} may be read in transit: add a TXT record "v=STSv1; id=1" at ${name}, and a policy at ${url}`,
    };
  if (more.length > 0) return failed(`${name} has more than one record "v=STSv1", so senders ignore them`);
  if (!/;\s*id=[a-z\d]{1,32}\s*(;|$)/i.test(record)) return failed(`${name} has no id: make it "v=STSv1; id=1"`);
  const policy = await fetchText(url).catch(() => undefined);
  if (policy === undefined) return failed(`${name} announces a policy, but it cannot be fetched from ${url}`);
  return judge({ policy, url, servers });
}

const failed = (says: string): MtaStsFinding => ({ state: 'failed', says });

function judge({ policy, url, servers }: { policy: string; url: string; servers: readonly string[] }): MtaStsFinding {
  const fields = policy.split(/\r?\n/).map((line) => line.split(':', 2).map((part) => part.trim()));
  const valuesOf = (wanted: string) => fields.filter(([name]) => name === wanted).map(([, value = '']) => value);
  const [[version], [mode = ''], patterns] = [valuesOf('version'), valuesOf('mode'), valuesOf('mx')];
  if (version !== 'STSv1' || !['enforce', 'testing', 'none'].includes(mode))
    return failed(`${url} is not a policy: it must begin with "version: STSv1" and have a line "mode: enforce"`);
  const missing = servers.filter((server) => !patterns.some((pattern) => isMatch(pattern, server)));
  if (mode === 'enforce' && missing.length > 0)
    return failed(
      `${url} does not list ${missing.join(', ')}, so senders must not deliver there: add "mx: ${missing[0]}"`,
    );
  return {
    state: 'ok',
    says: mode === 'enforce' ? 'enforced' : `${mode}: change it to "mode: enforce" once reports are clean`,
  };
}

/** RFC 8461, section 4.1: a wildcard stands for the leftmost label only. */
function isMatch(pattern: string, server: string): boolean {
  const [wanted, host] = [pattern, server].map((name) => name.toLowerCase().replace(/\.$/, '')) as [string, string];
  return wanted.startsWith('*.') ? host.slice(host.indexOf('.')) === wanted.slice(1) : host === wanted;
}
