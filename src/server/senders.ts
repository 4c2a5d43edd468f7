import { pino } from 'pino';
import { developmentPhone } from '../development-inbox/development-provider.ts';
import { developmentInboxSender, type Inbox, openInbox } from '../development-inbox/inbox.ts';
import type { MailSender } from '../outbox/mail.ts';
import { smtpSender } from '../outbox/smtp/smtp.ts';
import { type Calls, openCalls, type Tried } from '../phone-calls/calls.ts';
import { openCallProviders } from '../phone-calls/providers.ts';
import type { Config } from './config.ts';

/** The ways out of the house, by the operator's settings. */
export interface Senders {
  readonly mail: MailSender;
  readonly calls: Calls;
  /** What stands in for whatever is not connected; undefined when everything is. */
  readonly inbox: Inbox | undefined;
}

interface Told {
  readonly count?: ((tried: Tried) => void) | undefined;
  /** What each line of the log says beside the rest. */
  readonly inLog?: (() => object) | undefined;
}

/** Opens the mail server and the call providers, or the development inbox in their place. Connects to nothing yet. */
export function openSenders(config: Config, now: () => number, { count, inLog }: Told = {}): Senders {
  const inbox = openInbox(config.DATA_DIR);
  const providers = openCallProviders(config.CALL_PROVIDERS, config);
  return {
    mail: config.SMTP_URL === undefined ? developmentInboxSender(inbox) : smtpSender(config),
    calls: openCalls({
      providers: providers.length > 0 ? providers : [developmentPhone(inbox, now)],
      log: pino({ level: config.LOG_LEVEL, base: null, ...(inLog && { mixin: inLog }) }),
      now,
      ...(count && { count }),
    }),
    inbox: config.developmentInbox ? inbox : undefined,
  };
}
