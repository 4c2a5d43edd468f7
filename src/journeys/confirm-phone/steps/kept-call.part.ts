import { tabStorage } from '../../../browser/platform/storage.ts';
import { type ConfirmationWay, confirmationWays } from '../../../contract/call-ways.ts';

/** `ring` only rings, `voice` speaks the digits, with `reverse` the person calls; `mail` brings a link instead. */
export type Way = ConfirmationWay;

/** Whether there are digits to type. */
export const hasDigits = (way: Way): boolean => way !== 'mail' && way !== 'reverse';

/** A call that somebody waits for, or a link that takes its place. */
export interface AwaitedCall {
  readonly id: string;
  readonly way: Way;
  /** The number as people write it, or the address that the link went to. */
  readonly to: string;
  /** Milliseconds since 1970: from then on another one may be asked for. */
  readonly resendAt: number;
  /** As people write it: whom the person is to call, where it is they who call. */
  readonly number?: string | undefined;
  /** How many digits confirm it, first those of this call: an earlier one may come after all. Empty if an older page kept it. */
  readonly lengths: readonly number[];
  /** What else the number can be confirmed by; absent where nothing is known of that. */
  readonly ways?: readonly Way[] | undefined;
  /** It came to nothing: the `failure.…` that says why. */
  readonly ended?: 'call_failed' | 'call_expired' | 'digits_used_up' | 'confirmation_link_expired';
}

const key = 'draft.phone-call';

/** Keeps a call for this tab, which may be closed behind the phone app and come back; undefined forgets it. */
export const keepCall = (call: AwaitedCall | undefined): void => tabStorage.write(key, call && JSON.stringify(call));

export function readKeptCall(): AwaitedCall | undefined {
  const kept = tabStorage.readRecord(key);
  const isCall =
    typeof kept.id === 'string' && typeof kept.to === 'string' && confirmationWays.includes(kept.way as Way);
  if (!isCall) return undefined;
  const lengths = Array.isArray(kept.lengths) ? kept.lengths : [];
  return { ...kept, lengths, resendAt: Number(kept.resendAt) || 0 } as unknown as AwaitedCall;
}
