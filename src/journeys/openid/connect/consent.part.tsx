import { type ReactNode, useRef } from 'react';
import { Text } from '../../../browser/language/text.tsx';
import { keepReturnPlace } from '../../../browser/navigation/last-place.ts';
import { useGo } from '../../../browser/navigation/navigation.tsx';
import { useAccount } from '../../../browser/requests/account.ts';
import type { useRequest } from '../../../browser/requests/request-status.ts';
import { beginNewSignIn } from '../../../browser/requests/session.ts';
import type { readAccount } from '../../../contract/account.ts';
import type { ResponseBody } from '../../../contract/endpoint.ts';
import type { Scope } from '../../../contract/openid-scopes.ts';
import type { MessageId } from '../../../messages/ids.ts';
import { Button } from '../../../ui/button.tsx';
import { Failed } from '../../../ui/feedback/feedback.tsx';
import { PlainLine, PlainList } from '../../../ui/layouts/card.tsx';
import { SignedInUser } from '../../../ui/signed-in-user.tsx';
import { TextButton } from '../../../ui/text-button.tsx';
import css from './consent.module.css';

type Account = ResponseBody<typeof readAccount>;

interface ConsentProps extends Pick<ScopesProps, 'scopes' | 'apis'> {
  /** Above what the application receives. */
  children: ReactNode;
}

/** Whose account it is, and what the application receives. */
export function Consent({ children, ...asked }: ConsentProps) {
  const { account } = useAccount();
  return (
    <>
      <WhoseAccount />
      {children}
      <Scopes {...asked} account={account} />
    </>
  );
}

/** On a shared computer someone else may be signed in. */
export function WhoseAccount() {
  const { account } = useAccount();
  const go = useGo();
  const change = () => {
    keepReturnPlace(new URL(location.href));
    beginNewSignIn();
    go('/');
  };
  return (
    <div className={css.who}>
      <SignedInUser account={account} />
      <TextButton label="connect.not_you" onClick={change} />
    </div>
  );
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
  /** Whose values are shown with the scopes. */
  readonly account?: Account | undefined;
  /** Uses the type size of the details beside it. */
  readonly small?: boolean;
}

/** What an application receives: one line for each scope, and for each other service. */
export function Scopes({ scopes, apis = [], account, small = false }: ScopesProps) {
  const lines = [
    ...scopes.map((scope) => [scope, <ScopeLine key={scope} scope={scope} account={account} />] as const),
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
    <PlainList>
      {lines.map(([key, line]) => (
        <PlainLine key={key}>{line}</PlainLine>
      ))}
    </PlainList>
  );
}

/** Values as an application receives them, such as an address that its owner would rather keep. */
function ScopeLine({ scope, account }: { scope: Scope; account: Account | undefined }) {
  const values: Partial<Record<Scope, string | undefined>> = {
    profile: account?.name,
    email: account?.email,
    phone: account?.phone_written,
  };
  return (
    <>
      <Text id={words[scope]} />
      {values[scope] && <bdi className={css.value}>{values[scope]}</bdi>}
    </>
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
