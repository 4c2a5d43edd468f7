import { createContext, useContext } from 'react';
import type { LanguageCode } from '../../contract/languages.ts';
import type { PageSettings } from '../../contract/settings.ts';
import type { Messages } from '../language/message.ts';

/** What a page needs besides its code: its `_payload.json`, and the data block of its HTML. */
export interface Payload {
  readonly language: LanguageCode;
  /** The page's name in `pages.ts`. */
  readonly page: string;
  readonly messages: Messages;
  readonly head: { readonly title: string; readonly description: string };
  readonly settings: PageSettings;
  /** Addresses of its styles. */
  readonly styles: readonly string[];
  /** Id of the build that made it. */
  readonly build: string;
}

/** The page that is shown. */
export interface Page {
  readonly name: string;
  readonly language: LanguageCode;
  /** As English has it, with no language prefix: `/register/`. */
  readonly path: string;
  readonly params: Readonly<Record<string, string>>;
  readonly settings: PageSettings;
  readonly head: Payload['head'];
  /** Replaces the tab's title while the screen shows something else, such as errors; undefined gives it back. */
  readonly setTitle: (title: string | undefined) => void;
  /** The same for a further step of the page, which errors then are those of. */
  readonly setStep: (title: string | undefined) => void;
}

export const PageContext = createContext<Page | undefined>(undefined);

/** The page around this component. */
export const usePage = (): Page => useContext(PageContext) as Page;
