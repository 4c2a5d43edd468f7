import type { LanguageCode } from '../contract/languages.ts';
import { openCatalogs } from '../messages/compiled-catalogs.ts';

/** Stands for the digits, which the provider speaks itself. */
const digits = '\u0000';

export type Introduction = (language: LanguageCode) => Promise<string>;

/** What a spoken call says before its digits: the message's words up to them, in the call's language. */
export function spokenIntroduction(product: string): Introduction {
  const catalog = openCatalogs();
  return async (language) => {
    const texts = await catalog(language);
    return texts._('phone.spoken', { product, digits }).split(digits, 1)[0]?.trim() ?? '';
  };
}
