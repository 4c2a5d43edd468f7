import { randomUUID } from 'node:crypto';
import { Resolver } from 'node:dns/promises';
import { days, hours, iso, minutes, seconds } from '../../contract/units.ts';
import { type EmailMessage, type EmailSender, redactAddresses, TryLater, Undeliverable } from '../../outbox/compose.ts';
import { readMailFrom, returnPathIn } from '../../outbox/domains/addresses.ts';
import { checkSenderDomain } from '../../outbox/domains/sender-domain.ts';
import { readDkim } from '../../outbox/smtp/dkim.ts';
import type { Calls } from '../../phone-calls/calls.ts';
import { findRateDrops } from '../../phone-calls/delivery-rates.ts';
import { fundsOf, needsOf, type ProviderWithStatus } from '../../phone-calls/provider-status.ts';
import { offeredWays } from '../../phone-calls/providers.ts';
import { callOutcomes } from '../../store/calls/call-outcomes.ts';
import type { Store } from '../../store/database.ts';
import { countBounces } from '../../store/emails/bounces.ts';
import { outboxState } from '../../store/emails/outbox-review.ts';
import { countSuppressed } from '../../store/emails/suppression-list.ts';
import { stepsAhead } from '../../store/migrate.ts';
import { givenUpDeliveries, webhookQueue } from '../../store/webhooks/deliveries.ts';
import { disabledReceivers } from '../../store/webhooks/record-event.ts';
import { listStoredReceivers } from '../../store/webhooks/stored-receivers.ts';
import { readReceivers } from '../../webhooks/receivers.ts';
import { type Config, configWarnings } from '../settings/config.ts';
import { type CheckResult, counted, type Finding, foundIn, Problem, readable, runCheck } from './finding.ts';

export interface MailCheckOptions {
  /** The recipient of a test email. */
  readonly mailTo: string | undefined;
  /** The selector of the mail server's DKIM key. */
  readonly selector: string | undefined;
}

/** Checks the connection to the mail server, up to RCPT TO, and the DNS records of the sender's domain. */
export async function checkMail(config: Config, sender: EmailSender, options: MailCheckOptions): Promise<Finding[]> {
  const from = readMailFrom(config.MAIL_FROM, config.PRODUCT_NAME).address;
  const returnPath = returnPathIn(config);
  const server = await runCheck({ part: 'mail', code: 'mail_server' }, () =>
    checkServer(config, sender, { from: returnPath, to: config.SUPPORT_EMAIL ?? from }),
  );
  const sent =
    options.mailTo === undefined
      ? []
      : [
          await runCheck({ part: 'mail: test', code: 'mail_server' }, () =>
            sendTestMail(config, sender, options.mailTo ?? ''),
          ),
        ];
  if (config.SMTP_URL === undefined) return [server, ...sent];
  const domain = from.slice(from.lastIndexOf('@') + 1);
  const resolver = new Resolver({ timeout: seconds(2), tries: 2 });
  const own = readDkim(config);
  const key = options.selector === undefined ? own : undefined;
  const selector = options.selector ?? own?.keySelector;
  const records = await checkSenderDomain({ domain, returnPath, selector, key: key?.record, resolver });
  return [
    server,
    ...sent,
    ...records.map(({ record, state, says, concern }): Finding => {
      const part = `mail: ${record}`;
      if (state === 'ok' || !concern) return { part, state, says };
      const { code, ...params } = concern;
      return foundIn(part, state, new Problem(code, { record, ...params }, says));
    }),
  ];
}

async function checkServer(
  config: Config,
  sender: EmailSender,
  way: { from: string; to: string },
): Promise<CheckResult> {
  try {
    const says = await sender.check(way);
    return config.SMTP_URL === undefined ? new Problem('mail_unset', {}, `${says}: set SMTP_URL to send emails`) : says;
  } catch (error) {
    if (error instanceof TryLater)
      return new Problem('mail_server', { words: error.message }, `${error.message}: try again in a few minutes`);
    if (!(error instanceof Undeliverable)) throw error;
    return new Problem(
      'mail_replies',
      { address: way.to },
      `the mail server does not know ${way.to}, so replies and bounces to it are lost`,
    );
  }
}

async function sendTestMail(config: Config, sender: EmailSender, to: string): Promise<CheckResult> {
  await sender.send(testMail(config, to));
  return `accepted for ${to}: check whether it arrives, and in which folder`;
}

function testMail(config: Config, to: string): EmailMessage {
  const from = readMailFrom(config.MAIL_FROM, config.PRODUCT_NAME);
  return {
    id: randomUUID(),
    messageId: `<${randomUUID()}@${new URL(config.PUBLIC_URL).hostname}>`,
    from,
    to,
    returnPath: returnPathIn(config),
    replyTo: config.SUPPORT_EMAIL,
    date: new Date(),
    language: 'en',
    subject: `Test email from ${config.PRODUCT_NAME}`,
    text: `"vestibule doctor" at ${config.PUBLIC_URL} sent this email.`,
    html: `<p>"vestibule doctor" sent this email.</p>`,
  };
}

/** After the first, someone is still waiting for the email; after the second, no longer. */
const lateAfter = minutes(10);
const tooLateAfter = hours(1);

/** The number and age of queued emails, and the emails that were given up recently, with the reason. */
export async function checkOutbox(store: Store, now: number): Promise<CheckResult> {
  const { queued, oldest, gaveUp, lastGivenUp } = await outboxState(store, { since: now - days(1) });
  const age = oldest ? Math.max(0, now - oldest.created_at) : 0;
  const wordsOf = (error: string | null | undefined) => (error ? { words: redactAddresses(error) } : {});
  const because = (error: string | null | undefined) => (error ? `: ${redactAddresses(error)}` : '');
  const waits =
    queued === 0
      ? 'empty'
      : `${queued} queued, the oldest for ${readable(age / seconds(1))}${because(oldest?.last_error)}`;
  const late = { count: queued, since: iso(oldest?.created_at ?? now), ...wordsOf(oldest?.last_error) };
  if (age > tooLateAfter) throw new Problem('outbox_late', late, waits);
  if (gaveUp > 0)
    return new Problem(
      'outbox_given_up',
      { count: gaveUp, ...wordsOf(lastGivenUp?.last_error) },
      `${waits}; ${gaveUp} given up in the past day${because(lastGivenUp?.last_error)}`,
    );
  return age > lateAfter ? new Problem('outbox_late', late, waits) : waits;
}

/** The bounces of the past week, and the number of suppressed addresses. */
export async function checkBounces(store: Store, now: number): Promise<CheckResult> {
  if ((await stepsAhead(store)) > 0) return 'the next start creates its tables';
  const returned = await countBounces(store, { since: now - days(7) });
  const suppressed = await countSuppressed(store);
  const kinds = returned.map(({ told_by, kind, count }) => `${count} ${kind.replaceAll('_', ' ')} (${told_by})`);
  const came = kinds.length > 0 ? `${kinds.join(', ')} in the past week` : 'none in the past week';
  const said = `${came}; ${suppressed} suppressed${suppressed > 0 ? ', see vestibule suppressed' : ''}`;
  const complaints = returned.reduce((sum, { kind, count }) => (kind === 'complaint' ? sum + Number(count) : sum), 0);
  return complaints > 0 ? new Problem('complaints', { count: complaints }, said) : said;
}

/** Checks the account of each provider, and lists the requirements of the countries in CALL_COUNTRIES. */
export async function checkCalls(config: Config, calls: Calls): Promise<Finding[]> {
  if (config.PHONE_CONFIRMATION === 'off') return [{ part: 'calls', state: 'ok', says: 'PHONE_CONFIRMATION is off' }];
  const providers = await calls.readStatus();
  const ways = offeredWays(config, calls.ways);
  return [
    ...providers.map(asFinding),
    ...configWarnings(config).map((says) =>
      foundIn('call countries', 'warning', new Problem('call_countries', {}, says)),
    ),
    ...config.CALL_COUNTRIES.flatMap((country) =>
      needsOf(country, { ways, senders: config.SMS_SENDERS }).map(({ code, says, offer }) =>
        foundIn(
          `calls to ${country}`,
          'warning',
          new Problem(code, { country, ...(offer && { ways: offer.join(', ') }) }, says),
        ),
      ),
    ),
  ];
}

function asFinding({ provider, balance, warning, refused }: ProviderWithStatus): Finding {
  const part = `calls: ${provider}`;
  if (refused) {
    const words = `${refused.reason}: ${refused.message}`;
    return foundIn(part, 'failed', new Problem('provider', { provider, words }, words));
  }
  const funds = balance === undefined ? undefined : fundsOf(balance);
  const short = { empty: 'which is empty: it places no calls', low: 'which is low' };
  const says =
    [balance && `balance ${balance}`, funds && short[funds], warning].filter(Boolean).join(', ') || 'responds';
  if (funds)
    return foundIn(
      part,
      funds === 'empty' ? 'failed' : 'warning',
      new Problem('provider_funds', { provider, balance: balance ?? '' }, says),
    );
  if (warning) return foundIn(part, 'warning', new Problem('provider', { provider, words: warning }, says));
  return { part, state: 'ok', says };
}

/** Checks the receivers of webhooks and their waiting deliveries. Sends nothing. */
export async function checkWebhooks(
  store: Store,
  { config, now }: { config: Config; now: number },
): Promise<CheckResult> {
  const fromFile = readReceivers(config.WEBHOOKS_FILE);
  if ((await stepsAhead(store)) > 0) return 'the next start creates its tables';
  const ids = [...new Set([...fromFile, ...(await listStoredReceivers(store))].map(({ id }) => id))];
  if (ids.length === 0) return 'no receivers';
  const { queued } = await webhookQueue.backlog(store, ids);
  const { count: givenUp, error } = await givenUpDeliveries(store, { receivers: ids, since: now - days(1) });
  const off = (await disabledReceivers(store)).filter(({ id }) => ids.includes(id));
  const disabled = off.filter((one) => one.doubted_by === null).length;
  const says = `${counted(ids.length, 'receiver')}, ${counted(queued, 'webhook')} queued`;
  const problems = [
    ...(disabled > 0 ? [`${disabled} disabled after 410 Gone, see vestibule webhooks`] : []),
    ...(givenUp > 0 ? [`${givenUp} given up in the past day (${error}), see vestibule webhooks deliveries`] : []),
  ];
  if (problems.length === 0) return says;
  const text = [says, ...problems].join('; ');
  return disabled > 0
    ? new Problem('webhooks_disabled', { count: disabled }, text)
    : new Problem('webhooks_given_up', { count: givenUp, ...(error && { words: error }) }, text);
}

/** For the doctor: warns of countries whose confirmation rate has dropped. */
export async function checkArrivals(store: Store, now: number): Promise<CheckResult> {
  const outcomes = await callOutcomes(store, { since: now - days(7) });
  const drops = findRateDrops(outcomes, now);
  const falls = drops.map(({ country, before, now: rate }) => `${country} from ${percent(before)} to ${percent(rate)}`);
  if (falls.length > 0)
    return new Problem(
      'calls_dropped',
      { countries: drops.map(({ country }) => country) },
      `confirmation rates have dropped since yesterday: ${falls.join(', ')}; see vestibule calls --days 1`,
    );
  return outcomes.length === 0 ? 'none in the past week' : `${outcomes.length} in the past week`;
}

const percent = (rate: number): string => `${Math.round(100 * rate)} %`;
