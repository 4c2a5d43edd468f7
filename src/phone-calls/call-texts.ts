import type { LanguageCode } from '../contract/languages.ts';
import { openCatalogs } from '../messages/compiled-catalogs.ts';
import { smsSegments } from './sms-segments.ts';

/** Stands for the digits, which the provider speaks itself. */
const digits = '\u0000';

/** Texts of calls and messages, in the user's language. */
export interface CallTexts {
  /** The words of a voice call before its digits. */
  introduction(language: LanguageCode): Promise<string>;
  /**
   * A text message. Its last line binds the digits to our origin, so that phones offer to fill them in on our pages
   * only. Omits that line if the message would be charged as two.
   */
  message(language: LanguageCode, code: string): Promise<string>;
}

/** The last line of a message follows https://wicg.github.io/sms-one-time-codes/ (origin-bound one-time codes). */
export function callTexts({ product, publicUrl }: { product: string; publicUrl: string }): CallTexts {
  const catalog = openCatalogs();
  const { hostname } = new URL(publicUrl);
  return {
    async introduction(language) {
      const texts = await catalog(language);
      return texts._('phone.spoken', { product, digits }).split(digits, 1)[0]?.trim() ?? '';
    },
    async message(language, code) {
      const texts = await catalog(language);
      const text = texts._('phone.message', { product, digits: code });
      const bound = `${text}\n\n@${hostname} #${code}`;
      // Typing six digits costs the user less than a second message costs the operator.
      return smsSegments(bound) > smsSegments(text) ? text : bound;
    },
  };
}
