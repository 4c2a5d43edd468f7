import { useSyncExternalStore } from 'react';

const never = () => () => undefined;

/** The path that was not found; empty before hydration. */
export const useMissingPath = (): string => useSyncExternalStore(never, readablePath, () => '');

function readablePath(): string {
  try {
    return decodeURI(location.pathname);
  } catch {
    return location.pathname;
  }
}

/** The reference of an error, for users to quote to support; empty before hydration. */
export const useReference = (): string =>
  useSyncExternalStore(
    never,
    () => document.querySelector<HTMLMetaElement>('meta[name="reference"]')?.content ?? '',
    () => '',
  );
