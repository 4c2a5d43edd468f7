import { useEffect } from 'react';
import { pathIn } from '../../contract/languages.ts';
import { rememberLastPlace } from '../../contract/last-place.ts';
import { useRequest } from '../requests/request-status.ts';
import { sendRequest } from '../requests/send-request.ts';
import { usePage } from './page.tsx';

/** Stores the current page as the account's last place. A failure costs only convenience. */
export function useLastPlace(): void {
  const { language, name, path } = usePage();
  const place = pathIn(language, path);
  const { restart } = useRequest(async (signal) => {
    await sendRequest(rememberLastPlace, { body: { place }, signal });
  });
  // Before hydration, the address is that of the pre-rendered page, which may have a parameter.
  // biome-ignore lint/correctness/useExhaustiveDependencies: stores each place once
  useEffect(() => (path.includes('/:') || name === 'not-found' ? undefined : restart()), [place]);
}
