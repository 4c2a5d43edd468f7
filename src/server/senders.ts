import { pino } from 'pino';
import { developmentPhone } from '../development-inbox/development-provider.ts';
import { developmentInboxSender, type Inbox, openInbox } from '../development-inbox/inbox.ts';
import type { EmailSender } from '../outbox/email-message.ts';
import { smtpSender } from '../outbox/smtp/smtp.ts';
import { type CallAttempt, type Calls, openCalls } from '../phone-calls/calls.ts';
import { openCallProviders } from '../phone-calls/providers.ts';
import type { Config } from './config.ts';

/** The ways out of the house, by the operator's settings. */
export interface Senders {
  readonly mail: EmailSender;
  readonly calls: Calls;
  /** What stands in for whatever is not connected; undefined when everything is. */
  readonly inbox: Inbox | undefined;
}

interface SenderListeners {
  readonly onCallAttempt?: ((tried: CallAttempt) => void) | undefined;
  /** What each line of the log says beside the rest. */
  readonly logFields?: (() => object) | undefined;
}

/** Opens the mail server and the call providers, or the development inbox in their place. Connects to nothing yet. */
export function openSenders(
  config: Config,
  now: () => number,
  { onCallAttempt, logFields }: SenderListeners = {},
): Senders {
  const inbox = openInbox(config.DATA_DIR);
  const providers = openCallProviders(config.CALL_PROVIDERS, config);
  return {
    mail: config.SMTP_URL === undefined ? developmentInboxSender(inbox) : smtpSender(config),
    calls: openCalls({
      providers: providers.length > 0 ? providers : [developmentPhone(inbox, now)],
      log: pino({ level: config.LOG_LEVEL, base: null, ...(logFields && { mixin: logFields }) }),
      now,
      ...(onCallAttempt && { count: onCallAttempt }),
    }),
    inbox: config.developmentInbox ? inbox : undefined,
  };
}
