import { createContext, useContext } from 'react';
import type { LanguageCode } from '../../contract/languages.ts';
import type { PageSettings } from '../../contract/settings.ts';
import type { Messages } from '../language/message.ts';

/** A page's data besides its code, from its `_payload.json` or the data block of its HTML. */
export interface Payload {
  readonly language: LanguageCode;
  /** The page's name in `pages.ts`. */
  readonly page: string;
  readonly messages: Messages;
  readonly head: { readonly title: string; readonly description: string };
  readonly settings: PageSettings;
  /** URLs of its stylesheets. */
  readonly styles: readonly string[];
  /** Id of the build that made it. */
  readonly build: string;
}

/** The current page. */
export interface Page {
  readonly name: string;
  readonly language: LanguageCode;
  /** The English path, without a language prefix: `/register/`. */
  readonly path: string;
  /** The query of its address, with the question mark; empty before hydration. */
  readonly search: string;
  readonly params: Readonly<Record<string, string>>;
  readonly settings: PageSettings;
  readonly head: Payload['head'];
  /** Replaces the tab's title while the screen shows something else, such as errors; undefined restores it. */
  readonly setTitle: (title: string | undefined) => void;
  /** Does the same for a step of the page; the title of an error then names the step. */
  readonly setStep: (title: string | undefined) => void;
}

export const PageContext = createContext<Page | undefined>(undefined);

/** The page around this component. */
export const usePage = (): Page => useContext(PageContext) as Page;
