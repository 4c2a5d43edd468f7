import { setTimeout as pause } from 'node:timers/promises';
import { isLoopbackHost } from '../../contract/pages.ts';
import { days, iso, minutes, seconds } from '../../contract/units.ts';
import { readRedirectRules } from '../../http/pages/redirect-rules.ts';
import { openGeoIp } from '../geoip.ts';
import { openSenders } from '../senders.ts';
import type { Config } from '../settings/config.ts';
import { describeVersion, readVersion } from '../version.ts';
import { certificateEndsAt, hasCertificate } from './certificate.ts';
import { checkBackups, checkData, checkDisk, type Depth, lacksBackups } from './examine-data.ts';
import { checkCalls, checkMail, type MailCheckOptions } from './examine-deliveries.ts';
import {
  type CheckResult,
  counted,
  type Examinations,
  type Examined,
  type Finding,
  foundIn,
  Problem,
  runCheck,
} from './finding.ts';

interface Examination {
  readonly mail: MailCheckOptions;
  readonly depth: Depth | undefined;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

export const versionFinding = (): Finding => ({ part: 'version', state: 'ok', says: describeVersion(readVersion()) });

/** Checks everything that the service depends on, and changes nothing. Does not stop at the first error. */
export async function examine(config: Config, { mail, now, depth }: Examination): Promise<Finding[]> {
  const settings: Finding = { part: 'settings', state: 'ok', says: `${config.NODE_ENV}, ${config.PUBLIC_URL}` };
  const data = await checkData(config, { now, depth });
  return [
    versionFinding(),
    settings,
    await runCheck({ part: 'disk' }, () => checkDisk(config)),
    ...data.filter(({ part }) => !afterMail.includes(part)),
    await runCheck({ part: 'cookies' }, () => checkCookies(config)),
    ...(config.NODE_ENV === 'production' && hasCertificate(config.PUBLIC_URL)
      ? [await runCheck({ part: 'certificate' }, () => checkCertificate(config, now))]
      : []),
    ...(await checkSenders(config, mail)),
    ...data.filter(({ part }) => afterMail.includes(part)),
    await runCheck({ part: 'redirect rules', code: 'redirect_rules' }, () => checkRules(config)),
    ...(config.BACKUP_DIR || lacksBackups(config)
      ? [await runCheck({ part: 'backups' }, () => checkBackups(config, now))]
      : []),
    ...(config.PLACES_FILE
      ? [await runCheck({ part: 'places', code: 'places' }, () => checkPlaces(config.PLACES_FILE))]
      : []),
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
  return new Problem(
    'cookies',
    { host: hostname },
    `PUBLIC_URL is plain http: session cookies of ${hostname} are sent unencrypted`,
  );
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
  const until = iso(endsAt);
  if (endsAt <= now)
    throw new Problem('certificate', { until }, `expired at ${until}: no browser can reach the service`);
  const says = `valid for ${counted(Math.floor((endsAt - now) / days(1)), 'day')}, until ${until}`;
  return endsAt - now < renewedBefore ? new Problem('certificate', { until }, `${says}: renew it`) : says;
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

const repeatedAfter = minutes(5);
/** However many operators ask for another examination, mail servers and providers get one at a time. */
const againAfter = seconds(10);
/** Mail servers and providers may take longer to answer than an operator waits. */
const longestWait = seconds(3);

/** Examines this node when asked, one examination at a time: at once returns what is known, unless nothing is. */
export function openExaminations(config: Config, now: () => number): Examinations {
  let last: Omit<Examined, 'isRunning'> = { at: undefined, findings: [] };
  let running: Promise<void> | undefined;

  async function run(): Promise<void> {
    const at = now();
    const mail = { mailTo: undefined, selector: undefined };
    const findings = await examine(config, { mail, now: at, depth: 'quick' }).catch(({ message }: Error): Finding[] => [
      foundIn('examination', 'failed', new Problem('examination', { words: message }, message)),
    ]);
    last = { at, findings };
    running = undefined;
  }

  return async ({ again }) => {
    // A clock that was set back makes the last one as outdated as one that goes on.
    const age = last.at === undefined ? Number.POSITIVE_INFINITY : Math.abs(now() - last.at);
    if (age >= (again ? againAfter : repeatedAfter)) running ??= run();
    if (again || last.at === undefined) await Promise.race([running, pause(longestWait, undefined, { ref: false })]);
    return { ...last, isRunning: running !== undefined };
  };
}
