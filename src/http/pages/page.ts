import type { LanguageCode } from '../../contract/languages.ts';
import type { PageKind } from '../../contract/pages.ts';
import type { CompressedText } from '../responses/compression.ts';

/** One page in one language, ready to be sent. */
export interface Page {
  /** Its name in `pages.ts`. */
  readonly page: string;
  /** With its language prefix and trailing slash. */
  readonly path: string;
  readonly kind: PageKind;
  readonly language: LanguageCode;
  readonly html: CompressedText;
  readonly payload: CompressedText;
}
