import { sha256 } from '../../../security/secrets.ts';
import type { Service } from '../../../server/service.ts';
import { accountsOfDevice, deviceLifetime } from '../../../store/access/devices.ts';
import type { Visitor } from '../../../store/visitor.ts';

/** Who asks for a call, as far as their browser tells. */
export interface Caller {
  readonly visitor: Visitor;
  /** SHA-256 of the cookie that a wait belongs to. */
  readonly browser: string;
  /** An account that this browser has signed in to; undefined for strangers. */
  readonly owner?: Owner | undefined;
}

export interface Owner {
  readonly accountId: string;
  /** The number to be called is the account's own. */
  readonly hasNumber: boolean;
}

/**
 * The account of a known device for which a number is called: one with that number, or one whose address was confirmed. What
 * strangers do with the number does not count against it.
 */
export async function ownerOf(
  { store, now }: Service,
  { deviceToken, phone }: { deviceToken: string | undefined; phone: string },
): Promise<Owner | undefined> {
  if (deviceToken === undefined) return undefined;
  const known = await accountsOfDevice(store, { tokenHash: sha256(deviceToken), since: now() - deviceLifetime });
  const own = known.find((account) => account.phone === phone);
  const proven = own ?? known.find(({ email_proven_at }) => email_proven_at !== null);
  return proven && { accountId: proven.id, hasNumber: own !== undefined };
}
