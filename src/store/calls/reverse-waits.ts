import { minutes } from '../../contract/durations.ts';
import type { Store } from '../database.ts';
import type { PhoneCallsTable } from './phone-calls.ts';

/** A person may dial while the page still shows the number, and the provider may notice the call later. */
const lateCall = minutes(5);
/** A wait that no provider has accepted by then belongs to a dead process, and no page ever showed its number. */
const longestBeginning = minutes(1);

/** The newest wait for a call from this phone while such a call may still come; includes confirmed ones. */
export const findReverseWait = (
  store: Store,
  { phone, now }: { phone: string; now: number },
): Promise<PhoneCallsTable | undefined> =>
  store
    .selectFrom('phone_calls')
    .selectAll()
    .where('phone', '=', phone)
    .where('way', '=', 'reverse')
    .where('expires_at', '>', now - lateCall)
    .where((wait) =>
      wait.or([
        wait('state', 'in', ['placed', 'confirmed']),
        wait.and([wait('state', '=', 'calling'), wait('created_at', '>', now - longestBeginning)]),
      ]),
    )
    .orderBy('created_at', 'desc')
    .executeTakeFirst();
