import * as z from 'zod/mini';
import { isCountry } from '../callable.ts';
import { callProviderNames } from '../providers.ts';

/** A registered sender, or in China a signature such as `【示例】`, by `country` or `provider/country` (ISO 3166). */
export type SmsSenders = Readonly<Record<string, string>>;

/** A number, a name (3GPP TS 23.040, section 9.1.2.5: 11 characters), or the SID of a Twilio messaging service. */
const sender = /^(?:\+[1-9]\d{6,14}|MG[\da-f]{32}|[\w .&-]{1,11})$/i;
const signature = /^【[^【】,]{1,20}】$/u;

const form = new RegExp(`^((?:(?:${callProviderNames.join('|')})/)?([A-Z]{2})):(.+)$`, 'u');

/** `TR:Example`, `twilio/AE:Example` or `CN:【示例】`; undefined for anything else. */
function readSender(item: string): readonly [where: string, sender: string] | undefined {
  const [, where = '', country = '', from = ''] = form.exec(item.trim()) ?? [];
  if (!isCountry(country)) return undefined;
  // A signature is part of the text, which all providers get.
  const isValid = sender.test(from) || (where === country && signature.test(from));
  return isValid ? [where, from] : undefined;
}

const sendersIn = (value: string) => value.split(',').map(readSender);

/** `SMS_SENDERS`: `TR:Example,SA:Example-AD,twilio/AE:Example,CN:【示例】`. */
export const senderList = z.pipe(
  z
    .string()
    .check(
      z.refine(
        (value) => !sendersIn(value).includes(undefined),
        'must be senders by country, such as TR:Example,twilio/AE:Example,CN:【示例】, separated by commas',
      ),
    ),
  z.transform((value): SmsSenders => Object.fromEntries(sendersIn(value).flatMap((one) => (one ? [one] : [])))),
);

const isSignature = (value: string | undefined): value is string => value !== undefined && signature.test(value);

/** The sender of a provider’s text messages to a country; undefined for the provider’s own default. */
export function senderFor(
  senders: SmsSenders,
  { provider, country }: { provider: string; country: string },
): string | undefined {
  const found = senders[`${provider}/${country}`] ?? senders[country];
  return isSignature(found) ? undefined : found;
}

/** The signature that begins text messages to a country; undefined for none. */
export const signatureFor = (senders: SmsSenders, country: string): string | undefined => {
  const found = senders[country];
  return isSignature(found) ? found : undefined;
};

/** Whether a sender or a signature is set for a country, with any provider. */
export const hasSender = (senders: SmsSenders, country: string): boolean =>
  Object.keys(senders).some((where) => where.split('/').at(-1) === country);
