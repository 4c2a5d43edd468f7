import { macOfCode } from '../../../security/code-macs.ts';
import type { Service } from '../../../server/service.ts';
import { confirmCall, type PhoneCallsTable } from '../../../store/calls/phone-calls.ts';

/** Confirms a reverse call; does nothing if a concurrent request or report has already confirmed it. */
export async function confirmReverseCall(
  { store, keyring, now }: Service,
  { id, reference }: Pick<PhoneCallsTable, 'id'> & { readonly reference: string },
): Promise<void> {
  const proof = macOfCode(keyring.calls[0] as Buffer, id, reference);
  await confirmCall(store, { id, proof, now: now() });
}
