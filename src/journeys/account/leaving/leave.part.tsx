import { useForm } from '../../../browser/forms/form.ts';
import { Text } from '../../../browser/language/text.tsx';
import { useRequest } from '../../../browser/requests/request-status.ts';
import { sendRequest } from '../../../browser/requests/send-request.ts';
import { Button, ButtonLink, SubmitButton } from '../../../ui/button.tsx';
import { FormProblems } from '../../../ui/feedback/form-problems.tsx';
import { PasswordField } from '../../../ui/fields/password-field.tsx';
import { ClearLayout } from '../../../ui/layouts/clear-layout.tsx';
import { FormStack, Stack } from '../../../ui/layouts/stack.tsx';
import { StepTitle } from '../../../ui/layouts/title.tsx';
import { Failed } from '../read.part.tsx';

/** Everything that is kept, as a file. */
export function Export() {
  const { start, restart, state, error } = useRequest(async (signal) => {
    const { exportAccount } = await import('../account.contract.ts');
    save(JSON.stringify(await sendRequest(exportAccount, { signal }), null, 2));
  });
  return (
    <>
      <p>
        <Text id="account.export_text" />
      </p>
      <Failed failure={error} />
      <Button
        label="account.download"
        quiet
        narrow
        busy={state === 'pending' ? 'form.wait' : undefined}
        retry={restart}
        onClick={() => void start()}
      />
    </>
  );
}

function save(text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: 'application/json' }));
  const link = document.createElement('a');
  link.href = address;
  link.download = 'account-data.json';
  link.click();
  URL.revokeObjectURL(address);
}

/** The end of the account: asks for the password. */
export function Delete({ done }: { done: () => void }) {
  const form = useForm({
    contract: () => import('../account.contract.ts'),
    schema: ({ deletion }) => deletion,
    initial: { delete_password: '' },
    async send({ deleteAccount }, { delete_password: password }, signal) {
      await sendRequest(deleteAccount, { body: { password }, signal });
      const { endSession } = await import('../../../browser/requests/session-requests.ts');
      await endSession();
      done();
    },
  });
  return (
    <FormStack {...form.props}>
      <FormProblems form={form} />
      <PasswordField
        field={form.field('delete_password')}
        label="account.current_password"
        autoComplete="current-password"
      />
      <SubmitButton label="account.delete" busy={form.busy ? 'form.wait' : undefined} retry={form.retry} />
    </FormStack>
  );
}

/** What is left: the sign-in, which takes it back for some days. */
export const Left = () => (
  <ClearLayout>
    <StepTitle title="account.deleted" />
    <Stack>
      <p>
        <Text id="account.deleted_text" />
      </p>
      <ButtonLink to="/" label="register.sign_in" quiet />
    </Stack>
  </ClearLayout>
);
