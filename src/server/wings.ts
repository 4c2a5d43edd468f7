import type { AccountPart } from '../access/account-part.ts';
import { devicesOfAccount } from '../devices/account-part.ts';
import { noticesOfDevices } from '../devices/notices.ts';
import { joinNotices } from '../outbox/notices.ts';

// The two wings meet here: devices may import accounts, and accounts never import devices.

/** What other wings keep for an account, also while they are off. */
export const accountParts: readonly AccountPart[] = [devicesOfAccount];

joinNotices(noticesOfDevices);
