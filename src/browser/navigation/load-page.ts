import type { ComponentType } from 'react';
import { type LanguageCode, pathIn } from '../../contract/languages.ts';
import type { Payload } from './page.tsx';
import type { Route } from './route.ts';

/** A page's component and payload. */
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
