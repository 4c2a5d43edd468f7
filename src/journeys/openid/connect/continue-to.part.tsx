import { useEffect, useState } from 'react';
import { Text } from '../../../browser/language/text.tsx';
import { forgetReturnPlace, requestOfReturnPlace } from '../../../browser/navigation/return-place.ts';
import { RequestFailure } from '../../../browser/requests/request-failure.ts';
import { sendRequest } from '../../../browser/requests/send-request.ts';
import { Notice } from '../../../ui/feedback/notice.tsx';

interface ContinueToProps {
  /** Which words name the application. */
  text?: 'connect.continue_to' | 'connect.then_to';
}

/** Names the application that the visitor continues to; empty without one. */
export function ContinueTo({ text = 'connect.continue_to' }: ContinueToProps) {
  const [app, setApp] = useState<string>();
  useEffect(() => {
    const id = requestOfReturnPlace();
    if (id === undefined) return;
    const read = async () => {
      const { readRequest } = await import('./connect.contract.ts');
      setApp((await sendRequest(readRequest, { params: { id } })).app);
    };
    read().catch((failure: unknown) => {
      // The request is finished or has expired: the sign-in leads to the last place.
      if (failure instanceof RequestFailure && failure.code === 'not_found') forgetReturnPlace();
      // The sign-in also works without the name.
      else console.warn(failure);
    });
  }, []);
  return app === undefined ? null : (
    <Notice kind="info" role="status">
      {/* One block: a notice sets its children below each other. */}
      <p>
        <Text id={text} values={{ app }} dir="auto" />
      </p>
    </Notice>
  );
}
