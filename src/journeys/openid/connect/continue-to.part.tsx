import { useEffect, useState } from 'react';
import { Paragraph } from '../../../browser/language/text.tsx';
import { forgetReturnPlace, readReturnPlace } from '../../../browser/navigation/last-place.ts';
import { RequestFailure } from '../../../browser/requests/request-status.ts';
import { sendRequest } from '../../../browser/requests/send-request.ts';
import { Notice } from '../../../ui/feedback/feedback.tsx';

/** The name of the application that the visitor continues to; undefined without one, and until it is read. */
export function useContinuedApp(): string | undefined {
  const [app, setApp] = useState<string>();
  useEffect(() => {
    const pending = pendingApp();
    if (!pending) return;
    const read = async () => {
      const { readApp, readRequest } = await import('./connect.contract.ts');
      const { isGuarded, id } = pending;
      setApp((await sendRequest(isGuarded ? readApp : readRequest, { params: { id } })).app);
    };
    read().catch((failure: unknown) => {
      // The request is finished or has expired: the sign-in leads to the last place.
      if (failure instanceof RequestFailure && failure.code === 'not_found') forgetReturnPlace();
      // The sign-in also works without the name.
      else console.warn(failure);
    });
  }, []);
  return app;
}

/** Names the application that the visitor continues to. */
export function ContinueTo() {
  const app = useContinuedApp();
  return (
    app !== undefined && (
      <Notice kind="info" role="status">
        {/* One block: a notice sets its children below each other. */}
        <Paragraph id="connect.then_to" values={{ app }} dir="auto" />
      </Notice>
    )
  );
}

interface PendingApp {
  /** Whether `id` names an application that a guard protects, and not the request of an application. */
  readonly isGuarded: boolean;
  readonly id: string;
}

/** The application to which the remembered page leads; undefined for any other page. */
function pendingApp(): PendingApp | undefined {
  const place = readReturnPlace();
  const [, request] = /^(?:\/[a-z]{2})?\/connect\/\?request=([\w-]+)$/.exec(place) ?? [];
  if (request !== undefined) return { isGuarded: false, id: request };
  const [, guarded] = /^\/forward-auth\/([\w.~-]+)\/sign-in\?/.exec(place) ?? [];
  return guarded === undefined ? undefined : { isGuarded: true, id: guarded };
}
