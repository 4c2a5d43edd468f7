import type { ReactNode } from 'react';
import { Text } from '../../browser/language/text.tsx';
import type { MessageId } from '../../messages/ids.ts';
import { Stack } from './stack.tsx';
import { StepTitle } from './title.tsx';

interface OutcomeProps {
  title: MessageId;
  text: MessageId;
  /** The next step. */
  children: ReactNode;
}

/** How a journey ended, and how to continue. Takes the focus. */
export const Outcome = ({ title, text, children }: OutcomeProps) => (
  <>
    <StepTitle title={title} />
    <Stack>
      <p>
        <Text id={text} />
      </p>
      {children}
    </Stack>
  </>
);
