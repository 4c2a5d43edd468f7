import { returnParameter } from '../../contract/pages/return-parameter.ts';
import { tabStorage } from '../platform/storage.ts';

/** Remembers the page that required a sign-in, to return there afterwards. */
export const keepReturnPlace = (url: URL): void => tabStorage.write('return_place', url.pathname + url.search);

/** Remembers where the server wants to continue after a sign-in, if the address says so. `lastPlace` checks it. */
export function keepServerPlace({ searchParams }: URL): void {
  const place = searchParams.get(returnParameter);
  if (place) tabStorage.write('return_place', place);
}

/** The page to return to after a sign-in; empty without one. A new page has not stored the server's place yet. */
export const readReturnPlace = (): string =>
  new URLSearchParams(location.search).get(returnParameter) ?? tabStorage.read('return_place') ?? '';

export const forgetReturnPlace = (): void => tabStorage.write('return_place', undefined);
