import type { ReactNode } from 'react';
import { Text } from '../../../browser/language/text.tsx';
import { Stack } from '../../../ui/layouts/stack.tsx';
import { Title } from '../../../ui/layouts/title.tsx';

interface RefusedProps {
  /** The name of the application. */
  app: string;
  /** What the user can do. */
  children: ReactNode;
}

/** Explains that an application does not admit the account. */
export const Refused = ({ app, children }: RefusedProps) => (
  <>
    <Title>
      <Text id="connect.refused_title" values={{ app }} dir="auto" />
    </Title>
    <Stack>
      <p>
        <Text id="connect.refused_text" values={{ app }} dir="auto" />
      </p>
      {children}
    </Stack>
  </>
);
