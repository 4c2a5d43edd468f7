import { tabStorage } from '../../../browser/platform/storage.ts';
import { type ConfirmationWay, confirmationWays } from '../../../contract/call-ways.ts';

/** `ring` only rings, `voice` speaks the digits, with `reverse` the user calls; `mail` emails a link instead. */
export type Way = ConfirmationWay;

/** Whether the digits come as a text, not in a call. */
export const isMessage = (way: Way): boolean => way === 'whatsapp' || way === 'telegram' || way === 'sms';

/** Whether the user types digits. */
export const hasDigits = (way: Way): boolean => way !== 'mail' && way !== 'reverse';

/** A pending call, message or link. */
export interface AwaitedCall {
  readonly id: string;
  readonly way: Way;
  /** The formatted number, or the recipient of the link. */
  readonly to: string;
  /** When the user may request another one, in milliseconds since 1970. */
  readonly resendAt: number;
  /** The formatted number that the user calls, for reverse calls. */
  readonly number?: string | undefined;
  /**
   * Allowed digit counts: of this call first, then of earlier ones that may still arrive. Empty if an older page stored
   * it.
   */
  readonly lengths: readonly number[];
  /** Other ways to confirm the number; absent if unknown. */
  readonly ways?: readonly Way[] | undefined;
  /** Why it failed, as the suffix of a `failure.…` message. */
  readonly ended?: 'call_failed' | 'call_expired' | 'digits_used_up' | 'confirmation_link_expired';
}

const key = 'draft.phone-call';

/**
 * Stores a call for this tab, because phones may discard the page while the phone app is open; undefined deletes it.
 */
export const keepCall = (call: AwaitedCall | undefined): void => tabStorage.write(key, call && JSON.stringify(call));

export function readKeptCall(): AwaitedCall | undefined {
  const kept = tabStorage.readRecord(key);
  const isCall =
    typeof kept.id === 'string' && typeof kept.to === 'string' && confirmationWays.includes(kept.way as Way);
  if (!isCall) return undefined;
  const lengths = Array.isArray(kept.lengths) ? kept.lengths : [];
  return { ...kept, lengths, resendAt: Number(kept.resendAt) || 0 } as unknown as AwaitedCall;
}
