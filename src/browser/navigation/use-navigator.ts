import { startTransition, useEffect, useLayoutEffect, useMemo, useState } from 'react';
import { focusHeading } from './focus-heading.ts';
import type { Navigation } from './navigation.tsx';
import { createNavigator } from './navigator.ts';
import type { Route } from './route.ts';
import type { ShownPage, Visit } from './trips.ts';

/** The current page and the navigation to others; an arrival scrolls and focuses the page's heading. */
export function useNavigator(routes: readonly Route[], first: Visit): ShownPage & { navigation: Navigation } {
  const [shown, setShown] = useState<ShownPage>({ visit: first, slow: false, unanswered: undefined, broken: false });
  const [navigator] = useState(() =>
    createNavigator(routes, first, (change) => startTransition(() => setShown((before) => ({ ...before, ...change })))),
  );
  useEffect(() => navigator.start(), [navigator]);

  const { visit, slow, unanswered } = shown;
  useLayoutEffect(() => {
    if (visit.arrival?.scroll !== undefined) scrollTo(0, visit.arrival.scroll);
  }, [visit]);
  useEffect(() => {
    if (visit.arrival) focusHeading();
  }, [visit]);

  const { travel, replace, prefetch } = navigator;
  const navigation = useMemo(
    () => ({ travel, replace, prefetch, slow, unanswered }),
    [travel, replace, prefetch, slow, unanswered],
  );
  return { ...shown, navigation };
}
