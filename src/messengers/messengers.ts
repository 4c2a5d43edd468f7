import type { KeyObject } from 'node:crypto';
import { openReach, type Reach } from '../outgoing/public-address.ts';
import { pushKeyOf } from '../security/web-push.ts';
import { openTelegram, type Telegram } from './telegram.ts';
import { openWebPush } from './web-push.ts';
import { openWebhookSender } from './webhook.ts';

interface MessengerDeps {
  readonly config: {
    readonly PUBLIC_URL: string;
    readonly SUPPORT_EMAIL?: string | undefined;
    readonly PRIVATE_RECEIVERS: readonly string[];
    readonly TELEGRAM_BOT_TOKEN?: string | undefined;
    readonly TELEGRAM_BOT_URL: string;
  };
  readonly keyring: { readonly webPush: readonly KeyObject[] };
  readonly now: () => number;
}

/** What sends one message to a place that a user chose. */
export interface Messengers {
  /** Which addresses that users name may be used. */
  readonly reach: Reach;
  readonly webPush: ReturnType<typeof openWebPush>;
  readonly webhook: ReturnType<typeof openWebhookSender>;
  /** Only with TELEGRAM_BOT_TOKEN. */
  readonly telegram: Telegram | undefined;
  /** The key to which browsers subscribe. */
  pushKey(): string;
}

export function openMessengers({ config, keyring, now }: MessengerDeps): Messengers {
  const { PUBLIC_URL: origin, SUPPORT_EMAIL: email, TELEGRAM_BOT_TOKEN: token, TELEGRAM_BOT_URL: base } = config;
  const reach = openReach(config.PRIVATE_RECEIVERS);
  const mailto = email && `mailto:${email}`;
  // Apple refuses every other subject, and an address of this machine.
  const subject = origin.startsWith('https:') ? origin : mailto;
  const privateKey = () => keyring.webPush[0] as KeyObject;
  return {
    reach,
    webPush: openWebPush({ subject, privateKey, reach, now }),
    webhook: openWebhookSender({ reach }),
    telegram: token === undefined ? undefined : openTelegram({ token, base, now }),
    pushKey: () => pushKeyOf(privateKey()),
  };
}
