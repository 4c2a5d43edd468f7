import { randomUUID } from 'node:crypto';
import { sql } from 'kysely';
import { isLoopbackHost } from '../contract/loopback.ts';
import { readRedirectRules } from '../journeys/last-place/redirect-rules.ts';
import { type Mail, readMailFrom } from '../outbox/mail.ts';
import type { ExaminedProvider } from '../phone-calls/calls.ts';
import { type Config, readConfig } from '../server/config.ts';
import { openKeyring, operatorSecret } from '../server/keyring.ts';
import { openSenders } from '../server/senders.ts';
import { type DatabaseSettings, engineOf, openStore, type Store } from '../store/database.ts';
import { migrate } from '../store/migrate.ts';
import type { BareCommand, Result } from './command.ts';

interface Finding {
  readonly part: string;
  readonly state: 'ok' | 'warning' | 'failed';
  readonly says: string;
}

/** Looks at everything that the service depends on, in the order in which it would meet it. Never stops at the first fault. */
export const doctor: BareCommand = {
  name: ['doctor'],
  usage: 'doctor [--mail ADDRESS]',
  summary: 'examine settings, database, keys, clock, cookies, mail, calls and redirect rules',
  options: { mail: { type: 'string' } },
  async runBare({ environment, options }) {
    const findings = await examine(environment, typeof options.mail === 'string' ? options.mail : undefined);
    return report(findings);
  },
};

function report(findings: readonly Finding[]): Result {
  const mark = { ok: 'ok     ', warning: 'warning', failed: 'FAILED ' };
  const lines = findings.map(({ part, state, says }) => `${mark[state]}  ${part.padEnd(20)}${says}`);
  return { text: lines.join('\n'), data: { findings }, failed: findings.some(({ state }) => state === 'failed') };
}

async function examine(environment: Readonly<Record<string, string | undefined>>, mailTo?: string): Promise<Finding[]> {
  let config: Config;
  try {
    config = readConfig(environment);
  } catch (error) {
    return [{ part: 'settings', state: 'failed', says: (error as Error).message.replaceAll('\n', '; ') }];
  }
  const settings: Finding = { part: 'settings', state: 'ok', says: `${config.NODE_ENV}, ${config.PUBLIC_URL}` };
  const database = { dataDir: config.DATA_DIR, databaseUrl: config.DATABASE_URL };
  const store = openStore(database);
  try {
    return [
      settings,
      await look('database', () => examineDatabase(store, database)),
      await look('keys', () => examineKeys(store, config)),
      await look('clock', () => examineClock(store)),
      await look('cookies', () => examineCookies(config)),
      ...(await examineSenders(config, mailTo)),
      await look('redirect rules', () => examineRules(config)),
    ];
  } finally {
    await store.destroy();
  }
}

type Said = string | { readonly warning: string };

async function look(part: string, work: () => Promise<Said> | Said): Promise<Finding> {
  try {
    const said = await work();
    return typeof said === 'string'
      ? { part, state: 'ok', says: said }
      : { part, state: 'warning', says: said.warning };
  } catch (error) {
    return { part, state: 'failed', says: (error as Error).message.split('\n', 1)[0] ?? '' };
  }
}

async function examineDatabase(store: Store, database: DatabaseSettings): Promise<string> {
  await migrate(database);
  const { accounts } = await store
    .selectFrom('accounts')
    .select((row) => row.fn.countAll<number>().as('accounts'))
    .executeTakeFirstOrThrow();
  return `${engineOf(store)}, tables up to date, ${accounts} accounts`;
}

async function examineKeys(store: Store, config: Config): Promise<Said> {
  const keyring = await openKeyring(store, { secret: operatorSecret(config), now: Date.now() });
  const count = `${keyring.accessTokens.length} signing`;
  if (config.DATABASE_URL && !config.SECRET_KEY) return { warning: `${count}, kept unsealed: set SECRET_KEY` };
  return `${count}, sealed`;
}

/** Codes and links live for minutes, so a clock that differs from the database's is felt. */
async function examineClock(store: Store): Promise<Said> {
  if (engineOf(store) === 'sqlite') return `${new Date().toISOString()}, the database has the same`;
  const { rows } = await sql<{ at: Date }>`select now() as at`.execute(store);
  const difference = Math.abs(Date.now() - new Date(rows[0]?.at ?? 0).getTime());
  const says = `${new Date().toISOString()}, ${Math.round(difference / 1000)} s from the database's`;
  return difference > 5000 ? { warning: says } : says;
}

function examineCookies({ PUBLIC_URL, HOST }: Config): Said {
  const { protocol, hostname } = new URL(PUBLIC_URL);
  if (protocol === 'https:') return `Secure, only for ${hostname}`;
  if (isLoopbackHost(hostname) && isLoopbackHost(HOST)) return `plain http for ${hostname}, for development`;
  return { warning: `PUBLIC_URL is plain http: session cookies of ${hostname} travel in the clear` };
}

async function examineSenders(config: Config, mailTo: string | undefined): Promise<Finding[]> {
  const { mail, calls } = openSenders(config, Date.now);
  const byMail = await look('mail', async () => {
    const says = await mail.examine();
    if (mailTo !== undefined) await mail.send(testMail(config, mailTo));
    return config.SMTP_URL === undefined ? { warning: `${says}: set SMTP_URL to send mail` } : says;
  });
  await mail.close();
  if (config.PHONE_CONFIRMATION === 'off')
    return [byMail, { part: 'calls', state: 'ok', says: 'PHONE_CONFIRMATION is off' }];
  const examined = await calls.examine();
  return [byMail, ...examined.map(asFinding)];
}

const testMail = (config: Config, to: string): Mail => ({
  id: randomUUID(),
  messageId: `<${randomUUID()}@${new URL(config.PUBLIC_URL).hostname}>`,
  from: readMailFrom(config.MAIL_FROM, config.PRODUCT_NAME),
  to,
  replyTo: config.SUPPORT_EMAIL,
  date: new Date(),
  language: 'en',
  subject: `Test mail from ${config.PRODUCT_NAME}`,
  text: `This mail was sent by "vestibule doctor" of ${config.PUBLIC_URL}.`,
  html: `<p>This mail was sent by "vestibule doctor".</p>`,
});

function asFinding({ provider, balance, warning, refused }: ExaminedProvider): Finding {
  const part = `calls: ${provider}`;
  if (refused) return { part, state: 'failed', says: `${refused.reason}: ${refused.message}` };
  const says = [balance && `balance ${balance}`, warning].filter(Boolean).join(', ') || 'answers';
  return { part, state: warning ? 'warning' : 'ok', says };
}

function examineRules({ REDIRECT_RULES, PUBLIC_URL }: Config): string {
  readRedirectRules(REDIRECT_RULES, PUBLIC_URL);
  return REDIRECT_RULES ?? 'none';
}
