import { cell, useCell } from '../../../browser/platform/cell.ts';
import { knownAccount } from '../../../browser/requests/known-account.ts';

/**
 * Recovery codes that the owner has not saved. The server has only their hashes, so they stay in this tab while the owner
 * visits other pages.
 */
const unsaved = cell<readonly string[] | undefined>(undefined);

knownAccount.follow(() => {
  // Whoever signs in next is someone else.
  if (!knownAccount.read()) unsaved.write(undefined);
});

export const keepUnsavedCodes = (codes: readonly string[]): void => unsaved.write(codes);
export const forgetUnsavedCodes = (): void => unsaved.write(undefined);
export const useUnsavedCodes = (): readonly string[] | undefined => useCell(unsaved, () => undefined);
