import type { Page, Route } from 'playwright-core';

/**
 * Handles the next request to an address by hand and lets later requests pass. Playwright's own `times` stops
 * intercepting at an arbitrary moment: a request at that moment never gets a response.
 */
export function routeNext(
  page: Page,
  address: string | RegExp,
  handle: (route: Route) => Promise<unknown>,
): Promise<unknown> {
  let isOver = false;
  return page.route(address, (route) => {
    if (isOver) return route.fallback();
    isOver = true;
    return handle(route);
  });
}

/** Holds the next request to an address until the returned function is called, and then handles it. */
export async function holdNext(
  page: Page,
  address: string | RegExp,
  handle = (route: Route): Promise<void> => route.continue(),
): Promise<() => void> {
  const held = Promise.withResolvers<void>();
  await routeNext(page, address, async (route) => {
    await held.promise;
    await handle(route);
  });
  return () => held.resolve();
}
