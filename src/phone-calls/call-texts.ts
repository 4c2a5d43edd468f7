import type { LanguageCode } from '../contract/languages.ts';
import { pairsLike } from '../contract/settings.ts';
import { openCatalogs } from '../messages/compiled-catalogs.ts';
import type { MessageId } from '../messages/ids.ts';
import { isCountry } from './callable.ts';
import { callProviderNames } from './providers.ts';

/** A registered sender, or in China a signature such as `【示例】`, by `country` or `provider/country` (ISO 3166). */
export type SmsSenders = Readonly<Record<string, string>>;

/** A number, a name (3GPP TS 23.040, section 9.1.2.5: 11 characters), or the SID of a Twilio messaging service. */
const sender = /^(?:\+[1-9]\d{6,14}|MG[\da-f]{32}|[\w .&-]{1,11})$/i;
const signature = /^【[^【】,]{1,20}】$/u;

const form = new RegExp(`^((?:(?:${callProviderNames.join('|')})/)?([A-Z]{2})):(.+)$`, 'u');

/** `TR:Example`, `twilio/AE:Example` or `CN:【示例】`; undefined for anything else. */
function readSender(item: string): readonly [where: string, sender: string] | undefined {
  const [, where = '', country = '', from = ''] = form.exec(item) ?? [];
  if (!isCountry(country)) return undefined;
  // A signature is part of the text, which all providers get.
  const isValid = sender.test(from) || (where === country && signature.test(from));
  return isValid ? [where, from] : undefined;
}

/** `SMS_SENDERS`: `TR:Example,SA:Example-AD,twilio/AE:Example,CN:【示例】`. */
export const senderList = pairsLike(
  readSender,
  'must be senders by country, such as TR:Example,twilio/AE:Example,CN:【示例】, separated by commas',
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

/** Stands for the digits, which the provider speaks itself. */
const digits = '\u0000';

/** Texts of calls and messages, in the user's language. */
export type CallTexts = ReturnType<typeof callTexts>;

interface MessageText {
  readonly language: LanguageCode;
  readonly code: string;
  /** ISO 3166, of the number. */
  readonly country: string;
}

interface CallTextSettings {
  readonly product: string;
  readonly publicUrl: string;
  readonly senders?: SmsSenders;
}

/** Operators there discard text messages that contain web addresses, and the last line names our host. */
const withoutAddresses = ['CN', 'JP'];

/** The last line of a message follows https://wicg.github.io/sms-one-time-codes/ (origin-bound one-time codes). */
export function callTexts({ product, publicUrl, senders = {} }: CallTextSettings) {
  const catalog = openCatalogs();
  const { hostname } = new URL(publicUrl);
  return {
    /** Any other words, for calls and messages that are no confirmations. */
    async words(language: LanguageCode): Promise<(id: MessageId, values?: Readonly<Record<string, string>>) => string> {
      const texts = await catalog(language);
      return (id, values = {}) => texts._(id, values);
    },
    /** The words of a voice call before its digits. */
    async introduction(language: LanguageCode): Promise<string> {
      const texts = await catalog(language);
      return texts._('phone.spoken', { product, digits }).split(digits, 1)[0]?.trim() ?? '';
    },
    /**
     * A text message. Its last line binds the digits to our origin, so that phones offer to fill them in on our pages
     * only. Omits that line if the message would be charged as two, and in countries that filter out web addresses.
     */
    async message({ language, code, country }: MessageText): Promise<string> {
      const texts = await catalog(language);
      const text = (signatureFor(senders, country) ?? '') + texts._('phone.message', { product, digits: code });
      if (withoutAddresses.includes(country)) return text;
      const bound = `${text}\n\n@${hostname} #${code}`;
      // Typing six digits costs the user less than a second message costs the operator.
      return smsSegments(bound) > smsSegments(text) ? text : bound;
    },
  };
}

/** Characters that take one septet in a text message (3GPP TS 23.038, section 6.2.1). */
const gsm7 = new Set(
  '@£$¥èéùìòÇ\nØø\rÅåΔ_ΦΓΛΩΠΨΣΘΞÆæßÉ !"#¤%&\'()*+,-./0123456789:;<=>?¡ABCDEFGHIJKLMNOPQRSTUVWXYZÄÖÑÜ§¿abcdefghijklmnopqrstuvwxyzäöñüà',
);
/** Characters that take two septets (section 6.2.1.1). */
const extended = new Set('\f^{}\\[~]|€');

/** Capacity of a single message, and of each part of a divided one: in septets or UTF-16 units. */
const sizes = { gsm7: { one: 160, part: 153 }, ucs2: { one: 70, part: 67 } };

/** The number of text messages that the operator pays for. */
export function smsSegments(message: string): number {
  const letters = [...message];
  const isGsm7 = letters.every((letter) => gsm7.has(letter) || extended.has(letter));
  const length = isGsm7 ? letters.length + letters.filter((letter) => extended.has(letter)).length : message.length;
  const { one, part } = isGsm7 ? sizes.gsm7 : sizes.ucs2;
  return length <= one ? 1 : Math.ceil(length / part);
}
