import { sha256 } from '../../../security/macs.ts';
import type { Service } from '../../../server/service.ts';
import { accountsOfDevice, deviceLifetime } from '../../../store/access/devices.ts';
import type { Visitor } from '../../../store/visitor.ts';

/** The requester of a call, as far as their browser identifies them. */
export interface Caller {
  readonly visitor: Visitor;
  /** SHA-256 of the cookie that owns a reverse wait. */
  readonly browser: string;
  /** An account that this browser has signed in to; undefined for strangers. */
  readonly owner?: Owner | undefined;
}

export interface Owner {
  readonly accountId: string;
  /** Whether the account has confirmed the called number as its own. */
  readonly hasNumber: boolean;
}

/**
 * The account of a known device that requests a call: one that has confirmed that number, or one with a confirmed email
 * address. Requests of strangers for the number do not count against it. Anyone can give a number without confirming it.
 */
export async function ownerOf(
  { store, now }: Service,
  { deviceToken, phone }: { deviceToken: string | undefined; phone: string },
): Promise<Owner | undefined> {
  if (deviceToken === undefined) return undefined;
  const known = await accountsOfDevice(store, { tokenHash: sha256(deviceToken), since: now() - deviceLifetime });
  const own = known.find((account) => account.phone === phone && account.phone_confirmed_at !== null);
  const proven = own ?? known.find(({ email_proven_at }) => email_proven_at !== null);
  return proven && { accountId: proven.id, hasNumber: own !== undefined };
}
