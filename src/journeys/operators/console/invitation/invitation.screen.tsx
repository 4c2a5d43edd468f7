import { useEffect, useState } from 'react';
import { Paragraph, Text } from '../../../../browser/language/text.tsx';
import { keepReturnPlace, leaveTo } from '../../../../browser/navigation/last-place.ts';
import { Link, useQuery } from '../../../../browser/navigation/navigation.tsx';
import { usePage } from '../../../../browser/navigation/page.tsx';
import { useCell } from '../../../../browser/platform/storage.ts';
import { useAccount } from '../../../../browser/requests/account.ts';
import { RequestFailure, useRequest } from '../../../../browser/requests/request-status.ts';
import { sendRequest } from '../../../../browser/requests/send-request.ts';
import { accessToken, knownAccount, mayHaveSession } from '../../../../browser/requests/session.ts';
import { endSession } from '../../../../browser/requests/session-requests.ts';
import { pathIn } from '../../../../contract/languages.ts';
import type { OperatorRole } from '../../../../contract/operators.ts';
import { Button, ButtonLink } from '../../../../ui/button.tsx';
import { Notice } from '../../../../ui/feedback/feedback.tsx';
import { Stack, Title } from '../../../../ui/layouts/card.tsx';
import { ClearLayout } from '../../../../ui/layouts/frame.tsx';
import { SignedInUser } from '../../../../ui/signed-in-user.tsx';
import { StepUpHost } from '../../../../ui/step-up-host.tsx';
import { acceptInvitation } from '../../operators.contract.ts';
import { ConsoleFailed, roleNames } from '../layout/console-page.part.tsx';

/** Where the link of an invitation leads: says what is missing, and makes its owner an operator. */
export default function Invitation() {
  const { settings } = usePage();
  const [signedIn, setSignedIn] = useState<boolean>();
  useEffect(() => setSignedIn(accessToken() !== undefined || mayHaveSession()), []);
  return (
    <ClearLayout>
      <Title lead={<Text id="console_invitation.lead" values={{ product: settings.productName }} dir="auto" />}>
        <Text id="console_invitation.page" />
      </Title>
      {signedIn !== undefined && (signedIn ? <Accept signOut={() => setSignedIn(false)} /> : <SignIn />)}
      <StepUpHost />
    </ClearLayout>
  );
}

/** Leads to the sign-in, which returns to this address. */
function SignIn() {
  const { language } = usePage();
  const go = () => {
    keepReturnPlace(new URL(location.href));
    leaveTo(pathIn(language, '/'));
  };
  return <Button label="sign_in.page" onClick={go} />;
}

function Accept({ signOut }: { signOut: () => void }) {
  useAccount();
  const { query } = useQuery();
  const account = useCell(knownAccount, () => undefined);
  const [role, setRole] = useState<OperatorRole>();
  const accepting = useRequest(async (signal) => {
    const sent = { body: { invitation: query.get('invitation') ?? '' }, signal };
    // First without a dialog, which could not help an account that has no second factor.
    const failure = await sendRequest(acceptInvitation, { ...sent, isBackground: true }).then(
      (accepted) => setRole(accepted.role),
      (failed: unknown) => failed,
    );
    if (!failure) return;
    if (!(failure instanceof RequestFailure) || failure.code !== 'step_up_required' || !failure.ways?.length)
      throw failure;
    setRole((await sendRequest(acceptInvitation, sent)).role);
  });
  const leaving = useRequest(async () => {
    await endSession();
    signOut();
  });
  const { error } = accepting;
  if (role)
    return (
      <Stack tight>
        <Notice kind="success" role="status">
          <Text id="console_invitation.done" drawn={{ role: <Text id={roleNames[role]} /> }} values={{ role }} />
        </Notice>
        <ButtonLink to="/console/" label="console_invitation.open" />
      </Stack>
    );
  return (
    <Stack tight>
      <SignedInUser account={account} />
      {error?.code === 'step_up_required' ? (
        <Notice kind="danger" role="alert">
          <Paragraph id="console_invitation.second_step" tags={{ setup: <Link to="/account/security/" /> }} />
        </Notice>
      ) : (
        <ConsoleFailed failure={error ?? leaving.error} />
      )}
      <Button
        label="console_invitation.accept"
        busy={accepting.state === 'pending' ? 'form.wait' : undefined}
        onClick={() => void accepting.start()}
        retry={accepting.restart}
      />
      <Button
        label="connect.not_you"
        quiet
        busy={leaving.state === 'pending' ? 'form.wait' : undefined}
        onClick={() => void leaving.start()}
        retry={leaving.restart}
      />
    </Stack>
  );
}
