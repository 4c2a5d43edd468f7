import { useCell } from '../platform/cell.ts';
import { knownAccount } from '../requests/known-account.ts';
import { draftOf } from './form-draft.ts';

/** The name of the signed-in user’s draft; undefined until the page has read the account. */
export const useOwnDraft = (form: string): string | undefined =>
  draftOf(
    useCell(knownAccount, () => undefined),
    form,
  );
