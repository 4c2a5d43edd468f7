import type { LanguageCode } from '../../contract/languages.ts';
import { openCatalogs } from '../../messages/compiled-catalogs.ts';
import { smsSegments } from './sms-segments.ts';
import { type SmsSenders, signatureFor } from './sms-senders.ts';

/** Stands for the digits, which the provider speaks itself. */
const digits = '\u0000';

/** Texts of calls and messages, in the user's language. */
export interface CallTexts {
  /** The words of a voice call before its digits. */
  introduction(language: LanguageCode): Promise<string>;
  /**
   * A text message. Its last line binds the digits to our origin, so that phones offer to fill them in on our pages
   * only. Omits that line if the message would be charged as two, and in countries that filter out web addresses.
   */
  message(text: MessageText): Promise<string>;
}

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
export function callTexts({ product, publicUrl, senders = {} }: CallTextSettings): CallTexts {
  const catalog = openCatalogs();
  const { hostname } = new URL(publicUrl);
  return {
    async introduction(language) {
      const texts = await catalog(language);
      return texts._('phone.spoken', { product, digits }).split(digits, 1)[0]?.trim() ?? '';
    },
    async message({ language, code, country }) {
      const texts = await catalog(language);
      const text = (signatureFor(senders, country) ?? '') + texts._('phone.message', { product, digits: code });
      if (withoutAddresses.includes(country)) return text;
      const bound = `${text}\n\n@${hostname} #${code}`;
      // Typing six digits costs the user less than a second message costs the operator.
      return smsSegments(bound) > smsSegments(text) ? text : bound;
    },
  };
}
