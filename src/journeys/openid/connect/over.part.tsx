import type { ReactNode } from 'react';
import { Paragraph } from '../../../browser/language/text.tsx';
import { ButtonLink } from '../../../ui/button.tsx';
import { Stack, StepTitle } from '../../../ui/layouts/card.tsx';

/** The request of an application was invalid, has expired or is finished. */
export const ConnectOver = ({ children }: { children?: ReactNode }) => (
  <>
    <StepTitle title="connect_failed.page" />
    <Stack>
      <Paragraph id="connect_failed.text" />
      {children}
      <ButtonLink to="/" label="not_found.home" quiet />
    </Stack>
  </>
);
