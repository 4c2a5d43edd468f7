import { useEffect, useRef } from 'react';
import { useForm } from '../../../browser/forms/form.ts';
import { useWrongPassword } from '../../../browser/forms/wrong-password.ts';
import { Text } from '../../../browser/language/text.tsx';
import { usePage } from '../../../browser/navigation/page.tsx';
import { RequestFailure } from '../../../browser/requests/request-failure.ts';
import { useRequest } from '../../../browser/requests/request-status.ts';
import { sendRequest } from '../../../browser/requests/send-request.ts';
import { endSessionHere, sessionNotice, startSession } from '../../../browser/requests/session.ts';
import { endSession } from '../../../browser/requests/session-requests.ts';
import { days } from '../../../contract/durations.ts';
import { refresh } from '../../../contract/sign-in/session.ts';
import { Button, ButtonLink } from '../../../ui/button.tsx';
import { FormProblems } from '../../../ui/feedback/form-problems.tsx';
import { Failed } from '../../../ui/feedback/notice.tsx';
import { PasswordField } from '../../../ui/fields/passwords/password-field.tsx';
import { ClearLayout } from '../../../ui/layouts/clear-layout.tsx';
import { FormStack, Stack } from '../../../ui/layouts/stack.tsx';
import { StepTitle } from '../../../ui/layouts/title.tsx';
import { FormButtons } from '../layout/form-buttons.part.tsx';
import { Remark, Row } from '../layout/row.part.tsx';
import { useTimes } from '../lines.part.tsx';
import { saveText } from '../second-step/save-text.part.ts';
import { provesFirst, useSecurity } from '../second-step/use-security.part.ts';
import { exportAccount } from './export-account.contract.ts';

/** Downloads all data of the account as a file. */
export function ExportRow() {
  const { start, restart, state, error } = useRequest(async (signal) => {
    const text = JSON.stringify(await sendRequest(exportAccount, { signal }), null, 2);
    saveText('account-data.json', { text, type: 'application/json' });
  });
  const action = (
    <Button
      label="account.download"
      quiet
      narrow
      busy={state === 'pending' ? 'form.wait' : undefined}
      retry={restart}
      onClick={() => void start()}
    />
  );
  return (
    <Row label="account.export" action={action}>
      <Remark>
        <Text id="account.export_text" />
      </Remark>
      <Failed failure={error} />
    </Row>
  );
}

/** Deletes the account; requires the password, or a second step. */
export function Delete({ done, cancel }: { done: () => void; cancel: () => void }) {
  const isProvenFirst = provesFirst(useSecurity().security);
  const deletion = useRef<'unanswered' | 'planned'>(undefined);
  const form = useForm({
    contract: () => import('../account.contract.ts'),
    schema: ({ deletion, deletionAfterStepUp }) => (isProvenFirst ? deletionAfterStepUp : deletion),
    initial: { delete_password: '' },
    async send({ deleteAccount }, { delete_password: password }, signal) {
      if (deletion.current === 'unanswered' && (await isSignedOut())) deletion.current = 'planned';
      if (deletion.current !== 'planned') {
        deletion.current = 'unanswered';
        // A sign-in cancels the deletion, so no other request or tab may lead there before this page reports it.
        endSessionHere(true);
        await sendRequest(deleteAccount, { body: isProvenFirst ? {} : { password }, signal }).catch(
          (failure: unknown) => {
            if (isAnswered(failure)) {
              deletion.current = undefined;
              endSessionHere(false);
            }
            throw failure;
          },
        );
        deletion.current = 'planned';
      }
      await endSession();
      done();
    },
  });
  useWrongPassword(form, 'delete_password');
  // The user gave up a deletion that had no response.
  useEffect(
    () => () => {
      if (deletion.current === 'unanswered') endSessionHere(false);
    },
    [],
  );
  const { ref } = form.props;
  useEffect(() => {
    // The focused password field disappears once the page knows that a dialog asks for a proof instead.
    if (isProvenFirst && document.activeElement === document.body)
      ref.current?.querySelector<HTMLElement>('button[type=button]')?.focus();
  }, [isProvenFirst, ref]);
  return (
    <FormStack {...form.props}>
      <FormProblems form={form} />
      {!isProvenFirst && (
        <PasswordField
          field={form.field('delete_password')}
          label="account.current_password"
          autoComplete="current-password"
        />
      )}
      <FormButtons form={form} label="account.delete" danger cancel={cancel} />
    </FormStack>
  );
}

/** Whether the service itself refused, so nothing happened. A gateway's 5xx may follow a success of the service. */
const isAnswered = (failure: unknown): boolean => failure instanceof RequestFailure && (failure.status ?? 500) < 500;

/** Whether a deletion without a response ended the session, so it succeeded: a sign-in to repeat it would cancel it. */
async function isSignedOut(): Promise<boolean> {
  try {
    startSession(await sendRequest(refresh, {}));
    return false;
  } catch (failure) {
    if (!isAnswered(failure)) throw failure;
    // A parallel refresh may have received the reason, which the server gives once.
    const reason = failure instanceof RequestFailure ? failure.reason : undefined;
    return (reason === 'no_session' ? sessionNotice.read() : reason) === 'signed_out';
  }
}

/** After the deletion: a sign-in cancels it during the grace period. */
export function Left() {
  const { deletionGraceDays } = usePage().settings;
  const { day } = useTimes();
  return (
    <ClearLayout>
      <StepTitle title="account.deleted" />
      <Stack>
        <p>
          <Text id="account.deleted_text" />
        </p>
        {deletionGraceDays > 0 && (
          <p>
            <Text
              id="account.deletion_date"
              dir="auto"
              values={{ date: day(new Date(Date.now() + days(deletionGraceDays)).toISOString()) }}
            />
          </p>
        )}
        <ButtonLink to="/" label="register.sign_in" quiet />
      </Stack>
    </ClearLayout>
  );
}
