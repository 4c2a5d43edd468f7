import { randomUUID } from 'node:crypto';
import { Resolver } from 'node:dns/promises';
import { days, hours, minutes, seconds } from '../../contract/durations.ts';
import { examineSenderDomain } from '../../outbox/domains/sender-domain.ts';
import {
  type EmailMessage,
  type EmailSender,
  readMailFrom,
  returnPathIn,
  TryLater,
  Undeliverable,
} from '../../outbox/email-message.ts';
import { redactAddresses } from '../../outbox/redact-addresses.ts';
import { readDkim } from '../../outbox/smtp/dkim.ts';
import type { Config } from '../../server/settings/config.ts';
import type { Store } from '../../store/database.ts';
import { outboxState } from '../../store/emails/outbox-review.ts';
import { readable } from '../readable.ts';
import { type CheckResult, type Finding, runCheck } from './finding.ts';

export interface MailCheckOptions {
  /** The recipient of a test email. */
  readonly mailTo: string | undefined;
  /** The selector of the mail server's DKIM key. */
  readonly selector: string | undefined;
}

/** Checks the connection to the mail server, up to RCPT TO, and the DNS records of the sender's domain. */
export async function examineMail(config: Config, sender: EmailSender, options: MailCheckOptions): Promise<Finding[]> {
  const from = readMailFrom(config.MAIL_FROM, config.PRODUCT_NAME).address;
  const returnPath = returnPathIn(config);
  const server = await runCheck('mail', () =>
    examineServer(config, sender, { from: returnPath, to: config.SUPPORT_EMAIL ?? from }),
  );
  const sent =
    options.mailTo === undefined
      ? []
      : [await runCheck('mail: test', () => sendTestMail(config, sender, options.mailTo ?? ''))];
  if (config.SMTP_URL === undefined) return [server, ...sent];
  const domain = from.slice(from.lastIndexOf('@') + 1);
  const resolver = new Resolver({ timeout: seconds(2), tries: 2 });
  const own = readDkim(config);
  const key = options.selector === undefined ? own : undefined;
  const selector = options.selector ?? own?.keySelector;
  const records = await examineSenderDomain({ domain, returnPath, selector, key: key?.record, resolver });
  return [server, ...sent, ...records.map(({ record, ...finding }) => ({ part: `mail: ${record}`, ...finding }))];
}

async function examineServer(
  config: Config,
  sender: EmailSender,
  way: { from: string; to: string },
): Promise<CheckResult> {
  try {
    const says = await sender.examine(way);
    return config.SMTP_URL === undefined ? { warning: `${says}: set SMTP_URL to send emails` } : says;
  } catch (error) {
    if (error instanceof TryLater) return { warning: `${error.message}: try again in a few minutes` };
    if (!(error instanceof Undeliverable)) throw error;
    return { warning: `the mail server does not know ${way.to}, so replies and bounces to it are lost` };
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
export async function examineOutbox(store: Store, now: number): Promise<CheckResult> {
  const { queued, oldest, gaveUp, lastGivenUp } = await outboxState(store, { since: now - days(1) });
  const age = oldest ? Math.max(0, now - oldest.created_at) : 0;
  const because = (error: string | null | undefined) => (error ? `: ${redactAddresses(error)}` : '');
  const waits =
    queued === 0
      ? 'empty'
      : `${queued} queued, the oldest for ${readable(age / seconds(1))}${because(oldest?.last_error)}`;
  if (age > tooLateAfter) throw new Error(waits);
  if (gaveUp > 0) return { warning: `${waits}; ${gaveUp} given up in the past day${because(lastGivenUp?.last_error)}` };
  return age > lateAfter ? { warning: waits } : waits;
}
