import type { Route } from '../browser/navigation/route.ts';
import type { PageKind } from '../contract/pages.ts';

/** The kind of a page in `pages.ts`. */
export function kindOf({ instead, middleware }: Pick<Route, 'instead' | 'middleware'>): PageKind {
  if (instead) return 'instead';
  return middleware?.includes('account') ? 'account' : 'open';
}
