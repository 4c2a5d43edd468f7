import { useLayoutEffect, useState } from 'react';
import { Text } from '../../../browser/language/text.tsx';
import { ButtonLink } from '../../../ui/button.tsx';
import { Notice } from '../../../ui/feedback/notice.tsx';
import { Stack } from '../../../ui/layouts/stack.tsx';

/** Whether the page lacks what its link should have brought; never before the page is alive, which knows of no link. */
export function useIncompleteLink(...parts: readonly string[]): boolean {
  const [isAlive, setAlive] = useState(false);
  useLayoutEffect(() => setAlive(true), []);
  return isAlive && parts.includes('');
}

/** In place of a button that could do nothing; `to` is where another link is asked for. */
export const IncompleteLink = ({ to }: { to: '/account/' | '/register/' }) => (
  <Stack>
    <Notice kind="danger" role="alert">
      <Text id="link.incomplete" />
    </Notice>
    <ButtonLink to={to} label="reset.request_new" />
  </Stack>
);
