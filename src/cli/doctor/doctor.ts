import { examine, versionFinding } from '../../server/doctor/examine.ts';
import type { Depth } from '../../server/doctor/examine-data.ts';
import type { Finding } from '../../server/doctor/finding.ts';
import { type Config, readConfig } from '../../server/settings/config.ts';
import { type BareCommand, type CommandResult, UsageError } from '../command.ts';

/** Checks everything that the service depends on, and changes nothing. Does not stop at the first error. */
export const doctor: BareCommand = {
  usage: 'doctor [--quick | --deep]',
  summary:
    'check settings, disk, database, keys, clock, partitions, cookies, certificate, email and its domain, calls, outbox, bounces, webhooks, redirect rules and backups; --deep reads every page of SQLite’s file even if it is large; --quick, for timers, reads none of it',
  example: 'doctor --mail you@example.com',
  options: {
    quick: { type: 'boolean', help: 'read no page of SQLite’s file; for timers' },
    deep: { type: 'boolean', help: 'read every page of SQLite’s file, even if it is large' },
    mail: { type: 'string', value: 'ADDRESS', help: 'ask the mail server whether it takes an email to this address' },
    dkim: { type: 'string', value: 'SELECTOR', help: 'check this DKIM key of the mail server' },
  },
  async runBare({ environment, options, now }) {
    if (options.quick && options.deep) throw new UsageError('--quick and --deep exclude each other');
    const text = (value: unknown) => (typeof value === 'string' ? value : undefined);
    const mail = { mailTo: text(options.mail), selector: text(options.dkim) };
    return report(await check({ environment, examination: { mail, now, depth: depthOf(options) } }));
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
  readonly examination: Parameters<typeof examine>[1];
}

async function check({ environment, examination }: DoctorInput): Promise<Finding[]> {
  let config: Config;
  try {
    config = readConfig(environment);
  } catch (error) {
    const says = (error as Error).message.replaceAll('\n', '; ');
    return [versionFinding(), { part: 'settings', state: 'failed', says }];
  }
  return examine(config, examination);
}
