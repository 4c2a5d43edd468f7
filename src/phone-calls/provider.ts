import type { CallWay } from '../contract/call-ways.ts';
import type { phoneDigits } from '../contract/field-sizes.ts';
import type { LanguageCode } from '../contract/languages.ts';
import type { Callee } from './callable.ts';

/** A call to be placed. Asking again, also for a voice call, is another call with another id. */
export interface Call {
  /** UUID; the idempotency key where a provider has one. */
  readonly id: string;
  /** E.164. */
  readonly phone: string;
  /**
   * The digits that we chose, as many as the provider's method takes. Of four, `0001` to `9999`: uCaller has no number that ends in
   * `0000`.
   */
  readonly code: string;
  readonly locale: LanguageCode;
  /** The address of the person who asks; some providers limit by it. */
  readonly ip: string;
}

/** A call that speaks the digits. */
export interface SpokenCall extends Call {
  /** Said before the digits, in the call's language, where the provider lets us say anything. */
  readonly introduction?: string | undefined;
}

/** A message that carries the digits. */
export interface WrittenCall extends Call {
  /** The whole of it, digits and all, in the person's language. */
  readonly message?: string | undefined;
}

/** With the words for a voice and for a message. */
export type OrderedCall = SpokenCall &
  WrittenCall & {
    /** Six digits, for methods in which no caller's number limits them; without them `code` serves all. */
    readonly longCode?: string | undefined;
  };

/** Who knows the digits of a placed call. */
export type CallPlacement =
  /** Our code rings, is spoken or sent; with the provider's own name of a message that it can report on. */
  | { readonly kind: 'ours'; readonly reference?: string }
  /** The provider says which four digits ring. */
  | { readonly kind: 'theirs'; readonly code: string }
  /** Only the provider knows: ask it with `check`. */
  | { readonly kind: 'checked'; readonly reference: string }
  /** The person calls this number (E.164); ask with `arrived` whether they have. */
  | { readonly kind: 'awaited'; readonly number: string; readonly reference: string };

export type DigitCheck = 'confirmed' | 'wrong' | 'expired';
export type ReverseCallStatus = 'confirmed' | 'waiting' | 'expired';
/** What became of a message. */
export type Delivery = 'under way' | 'delivered' | 'lost';

/** What a provider says of our account, for `vestibule doctor`. */
export interface ProviderStatus {
  /** With its currency, where the provider names one. */
  readonly balance?: string | undefined;
  /** What an operator should know although it works. */
  readonly warning?: string | undefined;
}

/**
 * One company that reaches phones, in the ways whose methods it has. Every method asks the provider once, gives up when the signal says so, and throws
 * `CallRefused` and nothing else for whatever went wrong there.
 */
export interface CallProvider {
  readonly name: string;
  /** Rings and hangs up; the last four digits of the caller's number are the code. */
  place?(call: Call, signal: AbortSignal): Promise<CallPlacement>;
  /** Calls and speaks the digits. */
  speak?(call: SpokenCall, signal: AbortSignal): Promise<CallPlacement>;
  /** The languages that it speaks; absent where our choice does not matter to it. */
  readonly spokenLanguages?: readonly LanguageCode[];
  /** Absent where it speaks as many digits as it is given. */
  readonly spokenDigits?: typeof phoneDigits;
  /** Whether its method reaches such numbers; absent where it reaches all that may be called. */
  reaches?(way: CallWay, number: Callee): boolean;
  /** Sends the digits as a text message. */
  text?(call: WrittenCall, signal: AbortSignal): Promise<CallPlacement>;
  /** Sends the digits by Telegram. */
  telegram?(call: Call, signal: AbortSignal): Promise<CallPlacement>;
  /** Waits for a call from the person's phone, and hangs up on it. */
  await?(call: Call, signal: AbortSignal): Promise<CallPlacement>;
  /** For calls of the kind `awaited`. */
  arrived?(query: { readonly reference: string }, signal: AbortSignal): Promise<ReverseCallStatus>;
  /** For calls of the kind `checked`. */
  check?(query: { readonly reference: string; readonly digits: string }, signal: AbortSignal): Promise<DigitCheck>;
  /** What became of a message that has a reference. */
  delivery?(query: { readonly reference: string }, signal: AbortSignal): Promise<Delivery>;
  /** Reports that its digits were typed, for the provider's own statistics. */
  succeeded?(query: { readonly reference: string; readonly digits: string }, signal: AbortSignal): Promise<void>;
  /** Takes a message back that is of no use any more, if it was not delivered. */
  revoke?(query: { readonly reference: string }, signal: AbortSignal): Promise<void>;
  /** Tries the credentials without calling anyone. */
  examine(signal: AbortSignal): Promise<ProviderStatus>;
}

export type RefusalReason =
  /** No answer, or none that makes sense. */
  | 'unavailable'
  /** Our account there is empty. */
  | 'balance'
  /** Our account there is wrong, blocked or switched off. */
  | 'credentials'
  /** This provider or its operator does not call this number. */
  | 'rejected'
  /** The number is none, says the provider. */
  | 'number'
  /** Too many calls, by the provider's own limits. */
  | 'rate'
  /** It was not asked: nothing is left that it could be paid with. */
  | 'budget';

/** A call was not placed. The message is ours and is made for logs: it holds no number, code or secret. */
export class CallRefused extends Error {
  override readonly name = 'CallRefused';
  readonly reason: RefusalReason;
  /**
   * How many phones may ring all the same: 0 only where every provider said clearly that none will, or was not even asked.
   * Silence is no refusal: a provider that answers too late has placed its call.
   */
  readonly mayRing: number;
  /** The provider has charged for it although nothing arrives. */
  readonly charged: boolean;

  constructor(
    reason: RefusalReason,
    message: string,
    { mayRing = reason === 'unavailable' ? 1 : 0, charged = false } = {},
  ) {
    super(message);
    this.reason = reason;
    this.mayRing = mayRing;
    this.charged = charged;
  }
}

/** Of a mistake in our own code only the name is told: its message may hold what nobody should read. */
export const asRefused = (error: unknown): CallRefused =>
  error instanceof CallRefused
    ? error
    : new CallRefused('unavailable', `failed unexpectedly (${error instanceof Error ? error.name : typeof error})`);
