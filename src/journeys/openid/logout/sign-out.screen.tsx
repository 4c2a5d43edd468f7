import { useEffect, useRef, useState } from 'react';
import { Text } from '../../../browser/language/text.tsx';
import { leaveTo } from '../../../browser/navigation/last-place.ts';
import { useQuery } from '../../../browser/navigation/navigation.tsx';
import { readCookie } from '../../../browser/platform/storage.ts';
import { useRequest } from '../../../browser/requests/request-status.ts';
import { sendRequest } from '../../../browser/requests/send-request.ts';
import { sessionHintCookie } from '../../../contract/pages.ts';
import { Button, ButtonLink } from '../../../ui/button.tsx';
import { Failed, Notice } from '../../../ui/feedback/feedback.tsx';
import { Stack, Title } from '../../../ui/layouts/card.tsx';
import { ClearLayout } from '../../../ui/layouts/frame.tsx';

/** Asks before it signs out at the request of an application: anyone can link here. */
export default function SignOut() {
  const { query: given, change } = useQuery();
  const end = useRef<HTMLDivElement>(null);
  const app = useApp(given.get('client_id'));
  const leaving = useRequest(async (signal) => {
    const { signOutForApp } = await import('../connect/connect.contract.ts');
    const { endSession } = await import('../../../browser/requests/session-requests.ts');
    await endSession();
    const names = ['client_id', 'post_logout_redirect_uri', 'state'] as const;
    const body = Object.fromEntries(names.map((name) => [name, given.get(name) ?? undefined]));
    const { to } = await sendRequest(signOutForApp, { body, signal });
    if (to !== null) return leaveTo(to);
    // The address says so first: a reload must not ask again.
    change({ done: '1' });
  });
  // Anyone can link to the address that says so.
  const isOver = given.has('done') && readCookie(sessionHintCookie) === undefined;
  useEffect(() => {
    if (isOver) end.current?.focus();
  }, [isOver]);
  return (
    <ClearLayout>
      <Title text="sign_out.page" />
      {!isOver ? (
        <Stack>
          <p>
            {app === undefined ? (
              <Text id="sign_out.text" />
            ) : (
              <Text id="sign_out.text_app" values={{ app }} dir="auto" />
            )}
          </p>
          <Failed failure={leaving.error} />
          <Button
            label="sign_out.page"
            busy={leaving.state === 'pending' || leaving.state === 'success' ? 'form.wait' : undefined}
            retry={leaving.restart}
            onClick={() => void leaving.start()}
          />
          <ButtonLink to="/" label="sign_out.stay" quiet />
        </Stack>
      ) : (
        <Notice kind="success" role="status" ref={end} text="sign_out.done" />
      )}
    </ClearLayout>
  );
}

/** The name of the application that asks; undefined if it is unknown, which stops nobody from signing out. */
function useApp(id: string | null): string | undefined {
  const [app, setApp] = useState<string>();
  useEffect(() => {
    if (id === null) return;
    const read = async () => {
      const { readApp } = await import('../connect/connect.contract.ts');
      setApp((await sendRequest(readApp, { params: { id } })).app);
    };
    read().catch(() => undefined);
  }, [id]);
  return app;
}
