import { pino } from 'pino';
import { developmentPhone } from '../development-inbox/development-provider.ts';
import { developmentInboxSender, type Inbox, openInbox } from '../development-inbox/inbox.ts';
import type { Measures } from '../http/measures.ts';
import type { MailSender } from '../outbox/mail.ts';
import { smtpSender } from '../outbox/smtp/smtp.ts';
import { type Calls, openCalls } from '../phone-calls/calls.ts';
import { openCallProviders } from '../phone-calls/providers.ts';
import type { Config } from './config.ts';

/** The ways out of the house, by the operator's settings. */
export interface Senders {
  readonly mail: MailSender;
  readonly calls: Calls;
  /** What stands in for whatever is not connected; undefined when everything is. */
  readonly inbox: Inbox | undefined;
}

/** Opens the mail server and the call providers, or the development inbox in their place. Connects to nothing yet. */
export function openSenders(config: Config, now: () => number, countCall?: Measures['call']): Senders {
  const inbox = openInbox(config.DATA_DIR);
  const providers = openCallProviders(config.CALL_PROVIDERS, config);
  return {
    mail: config.SMTP_URL === undefined ? developmentInboxSender(inbox) : smtpSender(config),
    calls: openCalls({
      providers: providers.length > 0 ? providers : [developmentPhone(inbox, now)],
      log: pino({ level: config.LOG_LEVEL, base: null }),
      now,
      ...(countCall && { count: countCall }),
    }),
    inbox: config.developmentInbox ? inbox : undefined,
  };
}
