import type { LanguageCode } from '../contract/languages.ts';
import type { CompressedText } from './compression.ts';

/** One page in one language, ready to be sent. */
export interface Page {
  /** Its name in `pages.ts`. */
  readonly page: string;
  /** With its language prefix and trailing slash. */
  readonly path: string;
  /** Open to everybody, behind the session, or in place of a page that is not there. */
  readonly kind: 'open' | 'account' | 'instead';
  readonly language: LanguageCode;
  readonly html: CompressedText;
  readonly payload: CompressedText;
}
