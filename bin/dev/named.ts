import type { LanguageCode } from '../../src/contract/languages.ts';
import type { SiteSettings } from '../../src/contract/settings.ts';

/** Distinguishes a render request from a page or document that is sent unchanged. */
export const rendered = 'from source';

/** The service's response instead of a page: which page to render. `rendered` must be the first field. */
export interface RenderRequest {
  readonly rendered: typeof rendered;
  readonly part: 'html' | 'payload';
  readonly page: string;
  readonly language: LanguageCode;
  readonly settings: SiteSettings;
  /** The placeholder for the request's id. */
  readonly reference: string;
}
