import type { ReactNode } from 'react';
import { sendRequest } from '../../../browser/requests/send-request.ts';
import { ButtonLink } from '../../../ui/button.tsx';
import { Unread, useRead } from '../../account/read.part.tsx';
import { ConnectOver } from './over.part.tsx';
import { Refused } from './refused.part.tsx';

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
      {read.answer === undefined && heading}
      <Unread read={read}>
        {/* Going back to the application would only lead here again. */}
        <Refused app={read.answer ?? ''}>
          <ButtonLink to="/" label="not_found.home" />
        </Refused>
      </Unread>
    </>
  );
}
