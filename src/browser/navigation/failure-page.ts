import { useSyncExternalStore } from 'react';

const never = () => () => undefined;

/** The path that was not found; empty until the page is alive. */
export const useMissingPath = (): string => useSyncExternalStore(never, readablePath, () => '');

function readablePath(): string {
  try {
    return decodeURI(location.pathname);
  } catch {
    return location.pathname;
  }
}

/** What to quote to support about a failure; empty until the page is alive. */
export const useReference = (): string =>
  useSyncExternalStore(
    never,
    () => document.querySelector<HTMLMetaElement>('meta[name="reference"]')?.content ?? '',
    () => '',
  );
