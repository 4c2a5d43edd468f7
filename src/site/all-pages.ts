import type { Route } from '../browser/navigation/route.ts';
import type { PageKind } from '../contract/pages.ts';
import { consolePages } from './console-pages.ts';
import { pages } from './pages.ts';

/** The pages of the product and those of the console, for rendering and for the gallery: no browser gets both lists. */
export const allPages: readonly Route[] = [...pages, ...consolePages];

/** Also for `npm run dev`, whose service knows the pages and does not render them. */
export function kindOf({
  instead,
  operators,
  middleware,
}: Pick<Route, 'instead' | 'operators' | 'middleware'>): PageKind {
  if (instead) return 'instead';
  if (operators) return 'operator';
  return middleware?.includes('account') ? 'account' : 'open';
}
