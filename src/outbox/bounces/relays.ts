import * as z from 'zod/mini';
import { Failure } from '../../contract/failures.ts';
import { textLike } from '../../contract/settings.ts';
import { seconds } from '../../contract/units.ts';
import { mailgun } from './relays/mailgun.ts';
import { postmark } from './relays/postmark.ts';
import type { Relay } from './relays/relay.ts';
import { readSendgridKey, sendgrid } from './relays/sendgrid.ts';
import { type Download, ses } from './relays/ses.ts';

/** Each setting enables its relay and authenticates that relay's requests. */
export const relaySettings = {
  BOUNCE_SES_TOPIC: z.optional(
    textLike(/^arn:aws[a-z-]*:sns:[a-z\d-]+:\d{12}:[\w-]+$/, 'must be the ARN of an Amazon SNS topic, arn:aws:sns:…'),
  ),
  BOUNCE_POSTMARK_AUTH: z.optional(
    textLike(/^[^\s:]+:\S{16,}$/, 'must be a user, a colon and a password of at least 16 characters'),
  ),
  BOUNCE_MAILGUN_KEY: z.optional(z.string().check(z.minLength(16, 'must be Mailgun’s HTTP webhook signing key'))),
  BOUNCE_SENDGRID_KEY: z.optional(
    textLike((text) => readSendgridKey(text) !== undefined, 'must be SendGrid’s verification key, MFkwEwYHKoZIzj0…'),
  ),
} as const;

type RelaySettings = { readonly [Name in keyof typeof relaySettings]?: string | undefined };

export function openRelays(settings: RelaySettings, download: Download): readonly Relay[] {
  const { BOUNCE_SES_TOPIC: topic, BOUNCE_POSTMARK_AUTH: auth, BOUNCE_MAILGUN_KEY: secret } = settings;
  const key = settings.BOUNCE_SENDGRID_KEY === undefined ? undefined : readSendgridKey(settings.BOUNCE_SENDGRID_KEY);
  return [
    ...(topic === undefined ? [] : [ses(topic, download)]),
    ...(auth === undefined ? [] : [postmark(auth)]),
    ...(secret === undefined ? [] : [mailgun(secret)]),
    ...(key === undefined ? [] : [sendgrid(key)]),
  ];
}

const responseTimeout = seconds(5);
const maxResponseBytes = 64 * 1024;

/** Downloads a short text, such as a certificate, without following redirects. Throws the failure `try_again_later`. */
export const download: Download = async (url) => {
  try {
    const response = await fetch(url, { redirect: 'error', signal: AbortSignal.timeout(responseTimeout) });
    if (!response.ok || !response.body) throw new Error(`the response has status ${response.status}`);
    const chunks: Uint8Array[] = [];
    let size = 0;
    for await (const chunk of response.body) {
      size += chunk.length;
      if (size > maxResponseBytes) throw new Error('the response is too large');
      chunks.push(chunk);
    }
    return Buffer.concat(chunks).toString();
  } catch (cause) {
    throw new Failure('try_again_later', { cause });
  }
};
