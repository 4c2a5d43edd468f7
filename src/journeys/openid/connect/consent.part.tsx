import { useRef } from 'react';
import { Text } from '../../../browser/language/text.tsx';
import { useAccount } from '../../../browser/requests/account.ts';
import type { useRequest } from '../../../browser/requests/request-status.ts';
import type { Scope } from '../../../contract/openid-scopes.ts';
import type { MessageId } from '../../../messages/ids.ts';
import { Button } from '../../../ui/button.tsx';
import { Failed } from '../../../ui/feedback/feedback.tsx';
import { Line, Lines } from '../../../ui/layouts/card.tsx';
import css from './consent.module.css';

/** Whose data the application receives: on a shared computer someone else may be signed in. */
export function ForAccount() {
  const { account } = useAccount();
  // The space keeps the buttons in their place.
  return <p>{account ? <Text id="reset.account" values={{ email: account.email }} /> : '\u00a0'}</p>;
}

interface DecisionButtonsProps {
  deciding: Pick<ReturnType<typeof useRequest<[allow: boolean]>>, 'start' | 'restart' | 'state' | 'error'>;
  /** The decision has arrived, and the page is about to be left. */
  isLeaving?: boolean;
}

/** Allow or refuse. The pressed button waits for the response; the other does nothing meanwhile. */
export function DecisionButtons({ deciding, isLeaving = false }: DecisionButtonsProps) {
  const chosen = useRef(true);
  const waits = deciding.state === 'pending' || isLeaving;
  const decide = (allow: boolean) => {
    if (waits) return;
    chosen.current = allow;
    void deciding.start(allow);
  };
  const busy = (allow: boolean) => (waits && chosen.current === allow ? 'form.wait' : undefined);
  const retry = isLeaving ? undefined : () => deciding.restart(chosen.current);
  return (
    <>
      <Button label="connect.allow" busy={busy(true)} retry={retry} onClick={() => decide(true)} />
      <Failed failure={deciding.error} />
      <Button label="connect.refuse" quiet busy={busy(false)} retry={retry} onClick={() => decide(false)} />
    </>
  );
}

const words: Readonly<Record<Scope, MessageId>> = {
  openid: 'connect.scope_openid',
  profile: 'connect.scope_profile',
  email: 'connect.scope_email',
  phone: 'connect.scope_phone',
  groups: 'connect.scope_groups',
  offline_access: 'connect.scope_offline_access',
};

/** Another service that an application may use for the person. */
export interface Api {
  readonly name: string;
  /** Names that only the operator of the service explains. */
  readonly scopes: readonly string[];
}

interface ScopesProps {
  readonly scopes: readonly Scope[];
  readonly apis?: readonly Api[];
  /** Uses the type size of the details beside it. */
  readonly small?: boolean;
}

/** What an application receives: one line for each scope, and for each other service. */
export function Scopes({ scopes, apis = [], small = false }: ScopesProps) {
  const lines = [
    ...scopes.map((scope) => [scope, <Text key={scope} id={words[scope]} />] as const),
    ...apis.map((api) => [api.name, <ApiLine key={api.name} api={api} />] as const),
  ];
  if (small)
    return (
      <ul className={css.small}>
        {lines.map(([key, line]) => (
          <li key={key}>{line}</li>
        ))}
      </ul>
    );
  return (
    <Lines>
      {lines.map(([key, line]) => (
        <Line key={key}>{line}</Line>
      ))}
    </Lines>
  );
}

const ApiLine = ({ api }: { api: Api }) => (
  <>
    <Text id="connect.scope_resource" values={{ api: api.name }} dir="auto" />
    {api.scopes.length > 0 && (
      <>
        {' '}
        (<bdi>{api.scopes.join(', ')}</bdi>)
      </>
    )}
  </>
);
