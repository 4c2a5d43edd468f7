import type { ReactNode } from 'react';
import { Paragraph, Text } from '../../../browser/language/text.tsx';
import { sendRequest } from '../../../browser/requests/send-request.ts';
import { ButtonLink } from '../../../ui/button.tsx';
import { Stack, Title } from '../../../ui/layouts/card.tsx';
import { Unread, useRead } from '../../account/read.part.tsx';
import { ConnectOver } from './over.part.tsx';

interface TurnedAwayProps {
  /** The id of the application. */
  id: string;
  /** The heading until its name is known. */
  heading: ReactNode;
}

/** Explains to a user whom a guard turned away that the application does not admit the account. */
export function TurnedAway({ id, heading }: TurnedAwayProps) {
  const read = useRead(async (signal) => {
    const { readApp } = await import('./connect.contract.ts');
    return (await sendRequest(readApp, { params: { id }, signal })).app;
  });
  // The operator has removed the application: trying again cannot help.
  if (read.failure?.code === 'not_found') return <ConnectOver />;
  return (
    <>
      {read.response === undefined && heading}
      <Unread read={read}>
        {/* Going back to the application would only lead here again. */}
        <Refused app={read.response ?? ''}>
          <ButtonLink to="/" label="not_found.home" />
        </Refused>
      </Unread>
    </>
  );
}

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
      <Paragraph id="connect.refused_text" values={{ app }} dir="auto" />
      {children}
    </Stack>
  </>
);
