import type { LanguageCode } from '../contract/languages.ts';
import { openCatalogs } from '../messages/compiled-catalogs.ts';
import { smsSegments } from './sms-segments.ts';

/** Stands for the digits, which the provider speaks itself. */
const digits = '\u0000';

/** What phones say and show, in the person's language. */
export interface CallTexts {
  /** What a spoken call says before its digits. */
  introduction(language: LanguageCode): Promise<string>;
  /**
   * A text message, with the digits bound to our origin, so that phones offer to fill them in on our pages only; without that where
   * it would be charged as two.
   */
  message(language: LanguageCode, code: string): Promise<string>;
}

/** Origin-bound one-time codes: https://wicg.github.io/sms-one-time-codes/, its last line. */
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
      // To type six digits costs less than a second message.
      return smsSegments(bound) > smsSegments(text) ? text : bound;
    },
  };
}
