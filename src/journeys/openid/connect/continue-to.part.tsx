import { useEffect, useState } from 'react';
import { Text } from '../../../browser/language/text.tsx';
import { forgetReturnPlace } from '../../../browser/navigation/return-place.ts';
import { tabStorage } from '../../../browser/platform/storage.ts';
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
    const id = pendingRequest();
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

/** The id of the application's request that the remembered page continues; undefined for any other page. */
function pendingRequest(): string | undefined {
  const place = tabStorage.read('return_place') ?? '';
  return /^(?:\/[a-z]{2})?\/connect\/\?request=([\w-]+)$/.exec(place)?.[1];
}
