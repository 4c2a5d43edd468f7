import { useEffect } from 'react';
import { pathIn } from '../../contract/languages.ts';
import { sendRequest } from '../requests/send-request.ts';
import { usePage } from './page.tsx';

/** Stores the current page as the account's last place. A failure costs only convenience. */
export function useLastPlace(): void {
  const { language, path } = usePage();
  useEffect(() => {
    // Not yet hydrated: the address is that of the pre-rendered page.
    if (path.includes('/:')) return undefined;
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
