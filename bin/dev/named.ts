import type { LanguageCode } from '../../src/contract/languages.ts';
import type { SiteSettings } from '../../src/contract/settings.ts';

/** Tells an answer from a page or a document that is sent as it is. */
export const rendered = 'from source';

/** What the service answers in place of a page: which one to render. `rendered` comes first. */
export interface RenderRequest {
  readonly rendered: typeof rendered;
  readonly part: 'html' | 'payload';
  readonly page: string;
  readonly language: LanguageCode;
  readonly settings: SiteSettings;
  /** Where the service puts the request's id. */
  readonly reference: string;
}
