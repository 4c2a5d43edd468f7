import type { Route } from '../browser/navigation/route.ts';

/** Public (`open`), for signed-in users (`account`), or shown `instead` of another page. */
export type PageKind = 'open' | 'account' | 'instead';

/** The kind of a page in `pages.ts`. */
export function kindOf({ instead, middleware }: Pick<Route, 'instead' | 'middleware'>): PageKind {
  if (instead) return 'instead';
  return middleware?.includes('account') ? 'account' : 'open';
}
