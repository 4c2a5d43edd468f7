import { type RefObject, useEffect, useRef, useState } from 'react';
import { Paragraph, Text } from '../../../browser/language/text.tsx';
import { useStep } from '../../../browser/navigation/history.ts';
import { forgetLink, keepEmail, keepLink, useKeptQuery } from '../../../browser/navigation/kept-query.ts';
import { RequestFailure, useRequest } from '../../../browser/requests/request-status.ts';
import { sendRequest } from '../../../browser/requests/send-request.ts';
import { mayHaveSession, notifyAccountChanged } from '../../../browser/requests/session.ts';
import type { ResponseBody } from '../../../contract/endpoint.ts';
import { Button, ButtonLink } from '../../../ui/button.tsx';
import { Failed } from '../../../ui/feedback/feedback.tsx';
import { PlainLine, PlainList, Stack, StepTitle, Title } from '../../../ui/layouts/card.tsx';
import { ClearLayout } from '../../../ui/layouts/frame.tsx';
import {
  IncompleteLink,
  LinkExpired,
  LinkOutcome,
  LinkUsed,
  PasswordSet,
  useIncompleteLink,
} from '../../recover-password/link-outcomes.part.tsx';
import { NewPassword } from '../../recover-password/new-password.part.tsx';
import type { previewUndo } from './change-email.contract.ts';

/** The final state; it survives a reload. `undone_before`: the response, with the secret that sets a password, was lost. */
type Outcome = 'changed' | 'undone' | 'undone_before' | 'set' | 'expired';

/**
 * Confirms a new address, with the link sent to it, or undoes the change, with the link sent to the old address.
 * Opening the page changes nothing, because mail scanners open links.
 */
export default function ChangeEmail() {
  const { email = '', hash = '' } = useKeptQuery().link ?? {};
  const [outcome, enter] = useStep<Outcome>();
  const isIncomplete = useIncompleteLink(hash);
  const undoes = hash.startsWith('undo.');
  const unanswered = useRef(false);
  const change = useRequest(async (signal) => {
    const { changeEmail, undoEmailChange } = await import('./change-email.contract.ts');
    const request = { body: { hash }, signal };
    if (undoes) {
      const undone = await withResponse(() => sendRequest(undoEmailChange, request), unanswered);
      enter(undone ? 'undone' : 'undone_before', true);
      keepRestored(undone, email);
    } else {
      keepEmail(await confirmed(() => sendRequest(changeEmail, request), email));
      enter('changed', true);
      forgetLink();
    }
    notifyAccountChanged();
  });
  const { removes, looking } = useRemoves(undoes ? hash : '');
  if (outcome === 'undone' && hash !== '' && !undoes)
    return (
      <ClearLayout>
        <StepTitle title="change_email.undone" />
        <Stack>
          <Paragraph id="change_email.undone_text" />
          <NewPassword
            email={email}
            hash={hash}
            done={() => enter('set', true)}
            expired={() => {
              forgetLink();
              enter('expired', true);
            }}
          />
        </Stack>
      </ClearLayout>
    );
  if (outcome && hash === '') return <Over outcome={outcome} />;
  // The button undoes nothing before the page lists what that removes.
  const next = undoes && !removes ? looking : change;
  if (next.error?.code === 'confirmation_link_expired') return undoes ? <LinkUsed /> : <ChangeExpired />;
  return (
    <ClearLayout>
      <Title lead={email && <Text id={undoes ? 'change_email.undo_lead' : 'change_email.lead'} values={{ email }} />}>
        <Text id={undoes ? 'change_email.undo_title' : 'change_email.page'} />
      </Title>
      {isIncomplete ? (
        <IncompleteLink to="/account/security/" />
      ) : (
        <Stack>
          {removes && <Removes {...removes} />}
          <Failed failure={next.error} />
          <Button label={undoes ? 'change_email.undo_title' : 'change_email.submit'} request={next} />
        </Stack>
      )}
    </ClearLayout>
  );
}

/** Reads what the undo with this link would remove; does nothing for an empty one. */
function useRemoves(hash: string) {
  const [removes, setRemoves] = useState<ResponseBody<typeof previewUndo>>();
  const looking = useRequest(async (signal) => {
    const { previewUndo } = await import('./change-email.contract.ts');
    setRemoves(await sendRequest(previewUndo, { body: { hash }, signal }));
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once for each link
  useEffect(() => {
    if (hash !== '') void looking.start();
  }, [hash]);
  return { removes, looking };
}

/** What the button removes, before it does. */
const Removes = ({ computers, passkeys, authenticator, password }: ResponseBody<typeof previewUndo>) => (
  <>
    <Paragraph id="change_email.undo_removes" />
    <PlainList>
      {password && <PlainLine text="label.password" />}
      {passkeys > 0 && <PlainLine end={passkeys} text="security.passkeys" />}
      {authenticator && <PlainLine text="security.authenticator" />}
      {computers > 0 && <PlainLine end={computers} text="dashboard.devices" />}
    </PlainList>
  </>
);

/** What the link did, once it is used up. */
function Over({ outcome }: { outcome: Outcome }) {
  if (outcome === 'set') return <PasswordSet />;
  if (outcome === 'undone_before') return <UndoneBefore />;
  if (outcome === 'changed') return <Changed />;
  return <LinkExpired />;
}

/** The address that the account has now. A used link changed it before: the response to that request was lost. */
async function confirmed(send: () => Promise<{ email: string }>, inLink: string): Promise<string> {
  try {
    return (await send()).email;
  } catch (error) {
    if (!(error instanceof RequestFailure && error.used)) throw error;
    return inLink;
  }
}

/** Keeps the old address, and the link that sets a password if the response had one. */
function keepRestored(undone: { email: string; reset: string } | undefined, inLink: string): void {
  keepEmail(undone?.email ?? inLink);
  if (undone) keepLink({ email: undone.email, hash: undone.reset, call: '' });
  else forgetLink();
}

/**
 * The response; undefined if the link is used and an earlier request of this page, which got no response, may have used
 * it: the change is undone.
 */
async function withResponse<Response>(
  send: () => Promise<Response>,
  unanswered: RefObject<boolean>,
): Promise<Response | undefined> {
  const isRepeated = unanswered.current;
  unanswered.current = true;
  try {
    return await send();
  } catch (failure) {
    const { status, code } = failure instanceof RequestFailure ? failure : {};
    if (isRepeated && code === 'confirmation_link_expired') return undefined;
    if (status !== undefined && status < 500) unanswered.current = false;
    throw failure;
  }
}

/** The link may have been opened in another browser than the one that is signed in. */
const Changed = () => (
  <ClearLayout>
    <StepTitle title="change_email.done" />
    {mayHaveSession() ? (
      <ButtonLink to="/account/security/" label="account_security.page" />
    ) : (
      <ButtonLink to="/" label="register.sign_in" />
    )}
  </ClearLayout>
);

/** The link is too old, or a newer one replaced it: the button could never work again. */
const ChangeExpired = () => (
  <LinkOutcome title="reset.expired_title" text="change_email.expired">
    <ButtonLink to="/account/security/" label="reset.request_new" />
  </LinkOutcome>
);

/** Another link sets the password, since the first one was in the lost response; an email also contains one. */
const UndoneBefore = () => (
  <LinkOutcome title="change_email.undone" text="change_email.undone_text">
    <ButtonLink to="/recovery/" label="reset.request_new" />
  </LinkOutcome>
);
