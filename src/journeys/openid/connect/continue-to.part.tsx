import { useEffect, useState } from 'react';
import { Text } from '../../../browser/language/text.tsx';
import { requestOfReturnPlace } from '../../../browser/navigation/return-place.ts';
import { sendRequest } from '../../../browser/requests/send-request.ts';
import { Notice } from '../../../ui/feedback/notice.tsx';

/** Names the application that a sign-in continues to; empty without one. */
export function ContinueTo() {
  const [app, setApp] = useState<string>();
  useEffect(() => {
    const id = requestOfReturnPlace();
    if (id === undefined) return;
    const read = async () => {
      const { readRequest } = await import('./connect.contract.ts');
      setApp((await sendRequest(readRequest, { params: { id } })).app);
    };
    // The sign-in also works without the name.
    read().catch(console.warn);
  }, []);
  return app === undefined ? null : (
    <Notice kind="info" role="status">
      <Text id="connect.continue_to" values={{ app }} />
    </Notice>
  );
}
