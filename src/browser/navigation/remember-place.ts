import { useEffect } from 'react';
import { pathIn } from '../../contract/languages.ts';
import { sendRequest } from '../requests/send-request.ts';
import { usePage } from './page.tsx';

/** Makes the page that is shown the account's last place. That it may fail costs nothing but convenience. */
export function useLastPlace(): void {
  const { language, path } = usePage();
  useEffect(() => {
    const request = new AbortController();
    const { signal } = request;
    import('../../contract/last-place.ts')
      .then(({ rememberLastPlace }) =>
        sendRequest(rememberLastPlace, { body: { place: pathIn(language, path) }, signal }),
      )
      .catch(() => undefined);
    return () => request.abort();
  }, [language, path]);
}
