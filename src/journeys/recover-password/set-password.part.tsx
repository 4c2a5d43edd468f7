import { Text } from '../../browser/language/text.tsx';
import { usePage } from '../../browser/navigation/page.tsx';
import { notifyAccountChanged } from '../../browser/requests/account-changes.ts';
import { useRequest } from '../../browser/requests/request-status.ts';
import { sendRequest } from '../../browser/requests/send-request.ts';
import { Button } from '../../ui/button.tsx';
import { Failed, Notice } from '../../ui/feedback/notice.tsx';

/** Sends the signed-in owner of an account without a password the link that sets one. */
export function SetPassword({ email }: { email: string }) {
  const { language: locale } = usePage();
  const { start, restart, state, error } = useRequest(async (signal) => {
    const { requestRecovery } = await import('./recover-password.contract.ts');
    await sendRequest(requestRecovery, { body: { email, locale }, signal });
    notifyAccountChanged();
  });
  return (
    <>
      <Button
        label="security.password_set"
        quiet
        narrow
        busy={state === 'pending' ? 'form.wait' : undefined}
        onClick={() => void start()}
        retry={restart}
      />
      {state === 'success' && (
        <Notice kind="success" role="status">
          <Text id="security.password_link" values={{ email }} />
        </Notice>
      )}
      <Failed failure={error} />
    </>
  );
}
