import { isLoopbackHost } from '../../contract/loopback.ts';
import { days, iso } from '../../contract/units.ts';
import { readRedirectRules } from '../../http/pages/redirect-rules.ts';
import { certificateEndsAt, hasCertificate } from '../../server/certificate.ts';
import { openGeoIp } from '../../server/geoip.ts';
import { openSenders } from '../../server/senders.ts';
import { type Config, readConfig } from '../../server/settings/config.ts';
import { describeVersion, readVersion } from '../../server/version.ts';
import { type BareCommand, type CommandResult, counted, UsageError } from '../command.ts';
import { checkBackups, checkData, checkDisk, type Depth, lacksBackups } from './examine-data.ts';
import { checkCalls, checkMail, type MailCheckOptions } from './examine-deliveries.ts';
import { type CheckResult, type Finding, runCheck } from './finding.ts';

/** Checks everything that the service depends on, and changes nothing. Does not stop at the first error. */
export const doctor: BareCommand = {
  name: ['doctor'],
  usage: 'doctor [--quick | --deep] [--mail ADDRESS] [--dkim SELECTOR]',
  summary:
    'check settings, disk, database, keys, clock, partitions, cookies, certificate, email and its domain, calls, outbox, bounces, webhooks, redirect rules and backups; --deep reads every page of SQLite’s file even if it is large; --quick, for timers, reads none of it',
  example: 'doctor --mail you@example.com',
  options: {
    quick: { type: 'boolean', help: 'read no page of SQLite’s file; for timers' },
    deep: { type: 'boolean', help: 'read every page of SQLite’s file, even if it is large' },
    mail: { type: 'string', value: 'ADDRESS', help: 'ask the mail server whether it takes an email to this address' },
    dkim: { type: 'string', value: 'SELECTOR', help: 'check this DKIM key of the mail server' },
  },
  async runBare({ environment, positionals, options, now }) {
    if (positionals.length > 0 || (options.quick && options.deep))
      throw new UsageError('doctor [--quick | --deep] [--mail ADDRESS] [--dkim SELECTOR]');
    const text = (value: unknown) => (typeof value === 'string' ? value : undefined);
    const mail = { mailTo: text(options.mail), selector: text(options.dkim) };
    return report(await check({ environment, mail, now, depth: depthOf(options) }));
  },
};

const depthOf = ({ quick, deep }: Readonly<Record<string, unknown>>): Depth | undefined => {
  if (quick) return 'quick';
  return deep ? 'deep' : undefined;
};

function report(findings: readonly Finding[]): CommandResult {
  const mark = { ok: 'ok     ', warning: 'warning', failed: 'FAILED ' };
  const lines = findings.map(({ part, state, says }) => `${mark[state]}  ${part.padEnd(20)}${says}`);
  return { text: lines.join('\n'), data: { findings }, failed: findings.some(({ state }) => state === 'failed') };
}

interface DoctorInput {
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly mail: MailCheckOptions;
  readonly depth: Depth | undefined;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

async function check({ environment, mail, now, depth }: DoctorInput): Promise<Finding[]> {
  const version: Finding = { part: 'version', state: 'ok', says: describeVersion(readVersion()) };
  let config: Config;
  try {
    config = readConfig(environment);
  } catch (error) {
    return [version, { part: 'settings', state: 'failed', says: (error as Error).message.replaceAll('\n', '; ') }];
  }
  const settings: Finding = { part: 'settings', state: 'ok', says: `${config.NODE_ENV}, ${config.PUBLIC_URL}` };
  const data = await checkData(config, { now, depth });
  return [
    version,
    settings,
    await runCheck('disk', () => checkDisk(config)),
    ...data.filter(({ part }) => !afterMail.includes(part)),
    await runCheck('cookies', () => checkCookies(config)),
    ...(config.NODE_ENV === 'production' && hasCertificate(config.PUBLIC_URL)
      ? [await runCheck('certificate', () => checkCertificate(config, now))]
      : []),
    ...(await checkSenders(config, mail)),
    ...data.filter(({ part }) => afterMail.includes(part)),
    await runCheck('redirect rules', () => checkRules(config)),
    ...(config.BACKUP_DIR || lacksBackups(config) ? [await runCheck('backups', () => checkBackups(config, now))] : []),
    ...(config.PLACES_FILE ? [await runCheck('places', () => checkPlaces(config.PLACES_FILE))] : []),
  ];
}

/** Parts that the database provides, but that are listed after the mail server. */
const afterMail = ['outbox', 'bounces', 'webhooks'];

async function checkPlaces(file: string | undefined): Promise<string> {
  await openGeoIp(file);
  return `${file} is readable`;
}

function checkCookies({ PUBLIC_URL, HOST }: Config): CheckResult {
  const { protocol, hostname } = new URL(PUBLIC_URL);
  if (protocol === 'https:') return `Secure, only for ${hostname}`;
  if (isLoopbackHost(hostname) && isLoopbackHost(HOST)) return `plain http for ${hostname}, for development`;
  return { warning: `PUBLIC_URL is plain http: session cookies of ${hostname} are sent unencrypted` };
}

/** Milliseconds: automatic renewal begins weeks before the end, so it has failed for a while. */
const renewedBefore = days(14);

async function checkCertificate({ PUBLIC_URL }: Config, now: number): Promise<CheckResult> {
  const endsAt = await certificateEndsAt(PUBLIC_URL).catch((error: Error) => error);
  if (endsAt instanceof Error) return `not seen: this machine does not reach ${PUBLIC_URL}`;
  return judgeCertificate({ endsAt, now });
}

/** Throws if it has expired. */
export function judgeCertificate({ endsAt, now }: { readonly endsAt: number; readonly now: number }): CheckResult {
  const left = Math.floor((endsAt - now) / days(1));
  if (endsAt <= now) throw new Error(`expired at ${iso(endsAt)}: no browser can reach the service`);
  const says = `valid for ${counted(left, 'day')}, until ${iso(endsAt)}`;
  return endsAt - now < renewedBefore ? { warning: `${says}: renew it` } : says;
}

async function checkSenders(config: Config, mailOptions: MailCheckOptions): Promise<Finding[]> {
  const { mail, calls } = openSenders(config, Date.now);
  const byMail = await checkMail(config, mail, mailOptions);
  await mail.close();
  return [...byMail, ...(await checkCalls(config, calls))];
}

function checkRules({ REDIRECT_RULES, PUBLIC_URL }: Config): string {
  readRedirectRules(REDIRECT_RULES, PUBLIC_URL);
  return REDIRECT_RULES ?? 'none';
}
