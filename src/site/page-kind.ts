import type { Route } from '../browser/navigation/route.ts';
import type { PageKind } from '../contract/pages.ts';

export function kindOf({
  instead,
  operators,
  middleware,
}: Pick<Route, 'instead' | 'operators' | 'middleware'>): PageKind {
  if (instead) return 'instead';
  if (operators) return 'operator';
  return middleware?.includes('account') ? 'account' : 'open';
}
