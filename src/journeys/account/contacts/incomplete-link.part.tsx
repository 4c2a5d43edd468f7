import { useLayoutEffect, useState } from 'react';
import { ButtonLink } from '../../../ui/button.tsx';
import { Notice } from '../../../ui/feedback/feedback.tsx';
import { Stack } from '../../../ui/layouts/card.tsx';

/** Whether parameters of the link are missing; false before hydration, since the server renders without the link. */
export function useIncompleteLink(...parts: readonly string[]): boolean {
  const [isAlive, setAlive] = useState(false);
  useLayoutEffect(() => setAlive(true), []);
  return isAlive && parts.includes('');
}

/** Replaces a button that could not work; `to` is the page that requests another link. */
export const IncompleteLink = ({ to }: { to: '/account/security/' | '/register/' }) => (
  <Stack>
    <Notice kind="danger" role="alert" text="link.incomplete" />
    <ButtonLink to={to} label="reset.request_new" />
  </Stack>
);
