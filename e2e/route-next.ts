import type { Page, Route } from 'playwright-core';

/**
 * Handles the next request to an address by hand, and lets all later ones pass. Playwright's own `times` stops
 * intercepting in the middle of things: a request that comes at that moment is never answered.
 */
export function routeNext(page: Page, address: string, handle: (route: Route) => Promise<unknown>): Promise<unknown> {
  let isOver = false;
  return page.route(address, (route) => {
    if (isOver) return route.fallback();
    isOver = true;
    return handle(route);
  });
}
