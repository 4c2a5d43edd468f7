import type { Route } from '../browser/navigation/route.ts';

/** `open` to everybody, behind the session (`account`), or shown `instead` of another. */
export type PageKind = 'open' | 'account' | 'instead';

/** Which kind a page of `pages.ts` is. */
export function kindOf({ instead, middleware }: Pick<Route, 'instead' | 'middleware'>): PageKind {
  if (instead) return 'instead';
  return middleware?.includes('account') ? 'account' : 'open';
}
