import { type ComponentType, startTransition } from 'react';
import { hydrateRoot } from 'react-dom/client';
import { keepQuery } from '../browser/navigation/kept-query.ts';
import type { Payload } from '../browser/navigation/page.tsx';
import { placeOf, type Route } from '../browser/navigation/route.ts';
import { reloadOnce } from '../browser/platform/reload-guard.ts';
import { splitPath } from '../contract/languages.ts';
import { PageDocument } from './document.tsx';
import ErrorPage from './error.screen.tsx';
import { pages } from './pages.ts';

/** Brings the pre-rendered page to life. */
async function hydrate(): Promise<void> {
  const payload: Payload = JSON.parse(document.getElementById('payload')?.textContent as string);
  const { language } = payload;
  const route = pages.find(({ name }) => name === payload.page) as Route;
  // First of all: a reload, ours or the person's, must find what the address brought still in it.
  const Screen = await loadScreen(route);
  if (!Screen) return;
  const url = new URL(location.href);
  if (Screen !== ErrorPage) keepQuery(url);
  history.replaceState(history.state, '', url);
  // The pages for errors appear at whatever address has failed.
  const place = { path: splitPath(url.pathname).page, params: {}, ...placeOf(pages, url), url, language, route };
  // In small steps: a slow phone goes on scrolling and taking what is typed meanwhile.
  startTransition(() => {
    hydrateRoot(document, <PageDocument routes={pages} first={{ Screen, payload, place }} />, {
      // The error page differs from what was pre-rendered, and is meant to.
      ...(Screen === ErrorPage && { onRecoverableError: () => undefined }),
    });
  });
}

/** Milliseconds. */
const retryAfter = 3000;

/** Undefined: the page is being loaded anew. While nothing answers, what was pre-rendered stays as it is. */
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

void hydrate();
