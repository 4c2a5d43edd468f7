import type { FastifyInstance } from 'fastify';
import { pino } from 'pino';
import { developmentInboxSender, developmentPhone, openInbox } from '../development-inbox/inbox.ts';
import { type BounceListener, listenForBounces } from '../outbox/bounces/bounce-listener.ts';
import { smtpSender } from '../outbox/smtp/smtp.ts';
import { type CallAttempt, openCalls } from '../phone-calls/calls.ts';
import { openCallProviders } from '../phone-calls/providers.ts';
import { readReturnToken } from '../security/tokens.ts';
import { logOutput } from './log-output.ts';
import type { Service } from './service.ts';
import type { Config } from './settings/config.ts';

interface SenderListeners {
  readonly onCallAttempt?: ((tried: CallAttempt) => void) | undefined;
}

/** Opens the mail server and the call providers, or the development inbox instead. Does not connect yet. */
export function openSenders(config: Config, now: () => number, { onCallAttempt }: SenderListeners = {}) {
  const inbox = openInbox(config.DATA_DIR);
  const providers = openCallProviders(config.CALL_PROVIDERS, config);
  return {
    mail: config.SMTP_URL === undefined ? developmentInboxSender(inbox) : smtpSender(config),
    calls: openCalls({
      providers: providers.length > 0 ? providers : [developmentPhone(inbox, now)],
      log: pino({ level: config.LOG_LEVEL, base: null }, logOutput),
      now,
      senders: config.SMS_SENDERS,
      ...(onCallAttempt && { count: onCallAttempt }),
    }),
    /** Replaces a missing mail server or call provider; undefined if both are set. */
    inbox: config.developmentInbox ? inbox : undefined,
  };
}

/** Accepts bounces from the local mail server while the service accepts requests. */
export function receiveBounces(app: FastifyInstance, { config, keyring, store, bounces }: Service): void {
  const { BOUNCE_ADDRESS: address, BOUNCE_LISTEN: at } = config;
  if (!at || !address) return;
  let listener: BounceListener | undefined;
  app.addHook('onReady', async () => {
    const emailIdOf = (token: string) => readReturnToken(keyring.returnTokens, token);
    listener = await listenForBounces({ ...at, address, store, emailIdOf, returns: bounces, log: app.log });
  });
  app.addHook('onClose', () => listener?.close());
}
