import { type ComponentType, startTransition } from 'react';
import { hydrateRoot } from 'react-dom/client';
import { recallLanguage } from '../browser/language/language.tsx';
import { keepQuery } from '../browser/navigation/kept-query.ts';
import type { Payload } from '../browser/navigation/page.tsx';
import type { Route } from '../browser/navigation/route.ts';
import { moveTyped } from '../browser/platform/document.tsx';
import { reloadOnce } from '../browser/platform/new-build.ts';
import { splitPath } from '../contract/languages.ts';
import { patternOf } from '../contract/pages.ts';
import type { PageSettings } from '../contract/settings.ts';
import { PageDocument } from './document.tsx';
import ErrorPage from './error.screen.tsx';

/** Hydrates the pre-rendered page, which is one of those that `list` returns for its settings. */
export async function hydrate(list: (settings: PageSettings) => readonly Route[]): Promise<void> {
  const payload: Payload = JSON.parse(document.getElementById('payload')?.textContent as string);
  const { language } = payload;
  const pages = list(payload.settings);
  const route = pages.find(({ name }) => name === payload.page) as Route;
  // Load first, while the address is complete: a reload, ours or the user's, still needs its parameters.
  const Screen = await loadScreen(route);
  if (!Screen) return;
  const url = new URL(location.href);
  if (Screen !== ErrorPage) keepQuery(url, route);
  history.replaceState(history.state, '', url);
  // The error pages appear at the address that failed.
  const path = splitPath(url.pathname).page;
  const place = { path, params: { ...patternOf(route.path).exec(path)?.groups }, url, language, route };
  if (place.path === '/') recallLanguage(language);
  const fields = document.querySelectorAll('input');
  // Hydrate in small steps, so that a slow phone can scroll and accept input in the meantime.
  startTransition(() => {
    hydrateRoot(document, <PageDocument routes={pages} first={{ Screen, payload, place }} />, {
      onRecoverableError(error) {
        // The error page differs from the pre-rendered page on purpose.
        if (Screen === ErrorPage) return;
        reportError(error);
        moveTyped(fields);
      },
    });
  });
}

const retryAfter = 3000;

/** Loads the page's screen; undefined if the page reloads. While the server is unreachable, the static page stays. */
async function loadScreen(route: Route): Promise<ComponentType | undefined> {
  try {
    return (await route.screen()).default;
  } catch (error) {
    console.error(error);
    const outcome = await reloadOnce();
    if (outcome === 'reloading') return undefined;
    if (outcome === 'tried') return ErrorPage;
    await new Promise((resolve) => setTimeout(resolve, retryAfter));
    return loadScreen(route);
  }
}
