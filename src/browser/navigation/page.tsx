import { type ComponentType, createContext, useContext, useSyncExternalStore } from 'react';
import { type LanguageCode, pathIn } from '../../contract/languages.ts';
import type { PageSettings } from '../../contract/settings.ts';
import type { Messages } from '../language/text.tsx';
import type { Route } from './route.ts';

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

export interface LoadedPage {
  readonly Screen: ComponentType;
  readonly payload: Payload;
}

const payloads = new Map<string, Promise<Payload>>();

async function fetchPayload(address: string): Promise<Payload> {
  const response = await fetch(address, { credentials: 'same-origin' });
  if (!response.ok) throw new Error(`${address}: ${response.status}`);
  const payload: Payload = await response.json();
  // Warm the cache for the stylesheet's link. Browsers warn about a preload that stays unused.
  for (const style of payload.styles) void fetch(style, { priority: 'low' }).catch(() => undefined);
  return payload;
}

/** Caches the payload in the first page's HTML, in case the user returns to that page. */
export const keepPayload = ({ name, path }: Route, payload: Payload): void => {
  if (name === payload.page) payloads.set(addressOf(path, payload.language), Promise.resolve(payload));
};

const addressOf = (path: string, language: LanguageCode) => `${pathIn(language, path)}_payload.json`;

/** Loads a page's code and payload, each once; a failure is not cached. */
export async function loadPage(route: Route, language: LanguageCode): Promise<LoadedPage> {
  const address = addressOf(route.path, language);
  const payload = payloads.get(address) ?? fetchPayload(address);
  payloads.set(address, payload);
  payload.catch(() => payloads.delete(address));
  const [{ default: Screen }, loaded] = await Promise.all([route.screen(), payload]);
  return { Screen, payload: loaded };
}

const never = () => () => undefined;

/** The path that was not found; empty before hydration. */
export const useMissingPath = (): string => useSyncExternalStore(never, readablePath, () => '');

function readablePath(): string {
  try {
    return decodeURI(location.pathname);
  } catch {
    return location.pathname;
  }
}

/** The reference of an error, for users to quote to support; empty before hydration. */
export const useReference = (): string =>
  useSyncExternalStore(
    never,
    () => document.querySelector<HTMLMetaElement>('meta[name="reference"]')?.content ?? '',
    () => '',
  );
