import * as z from 'zod/mini';
import type { CallWay } from '../contract/call-ways.ts';
import type { phoneDigits } from '../contract/fields/field-sizes.ts';
import type { LanguageCode } from '../contract/languages.ts';
import { textLike } from '../contract/settings.ts';
import type { Callee } from './callable.ts';

/** A call to place. A repeated request, including one for a voice call, is a new call with a new id. */
export interface Call {
  /** UUID; the idempotency key if the provider supports one. */
  readonly id: string;
  readonly phone: string;
  /**
   * The digits that we chose, as many as the provider's method takes. Four digits range from `0001` to `9999`: uCaller
   * has no number that ends in `0000`.
   */
  readonly code: string;
  readonly locale: LanguageCode;
  /** The user's IP address; some providers apply rate limits to it. */
  readonly ip: string;
}

export interface SpokenCall extends Call {
  /** Spoken before the digits, in the call's language, if the provider supports it. */
  readonly introduction?: string | undefined;
}

export interface WrittenCall extends Call {
  /** The whole message including the digits, in the user's language. */
  readonly message?: string | undefined;
  /** The sender that is registered in the user's country; absent for the provider's default. */
  readonly sender?: string | undefined;
}

/** A call with the texts for voice and for messages. */
export type OrderedCall = SpokenCall &
  WrittenCall & {
    /** Six digits, for methods that are not limited to a caller's number; without them, every method uses `code`. */
    readonly longCode?: string | undefined;
  };

/** A call that reads a text twice, and asks for the key 1. */
export interface QuestionCall {
  /** UUID. */
  readonly id: string;
  readonly phone: string;
  readonly locale: LanguageCode;
  readonly words: string;
  /**
   * The provider requests it with the key as `Digits`, and speaks the TwiML of its response. At the end of the call, it
   * requests it with the `CallStatus`.
   */
  readonly answerUrl: string;
}

/** A placed call, by who knows its digits. */
export type CallPlacement =
  /** The call or message carries our code; `reference` identifies it if the provider reports its delivery. */
  | { readonly kind: 'ours'; readonly reference?: string }
  /** The provider chose the four digits and reported them. */
  | { readonly kind: 'theirs'; readonly code: string }
  /** Only the provider knows the digits: verify them with `check`. */
  | { readonly kind: 'checked'; readonly reference: string }
  /** The user calls this number (E.164); query with `arrived` whether they have. */
  | { readonly kind: 'awaited'; readonly number: string; readonly reference: string };

export type DigitCheck = 'confirmed' | 'wrong' | 'expired';
export type ReverseCallStatus = 'confirmed' | 'waiting' | 'expired';
/** Delivery status of a call or message; `refunded` if it is lost and costs nothing. */
export type Delivery = 'under way' | 'delivered' | 'lost' | 'refunded';

/** The state of our account with a provider, for `vestibule doctor`. */
export interface ProviderStatus {
  /** Includes the currency if the provider names it. */
  readonly balance?: string | undefined;
  /** A problem that the operator should know about although the provider works. */
  readonly warning?: string | undefined;
}

/**
 * One company that reaches phones; its methods are the ways that it supports. Every method sends its requests once,
 * stops when the signal aborts, and throws only `CallRefused` for any failure.
 */
export interface CallProvider {
  readonly name: string;
  /** Rings and hangs up; the last four digits of the caller's number are the code. */
  place?(call: Call, signal: AbortSignal): Promise<CallPlacement>;
  speak?(call: SpokenCall, signal: AbortSignal): Promise<CallPlacement>;
  /** Calls, reads a text and reports the key that was pressed; that a machine answered means nothing. */
  ask?(call: QuestionCall, signal: AbortSignal): Promise<CallPlacement>;
  /** Its text messages are `message`, word by word, and may say anything. */
  readonly sendsOwnWords?: true;
  /** The languages that it speaks; absent if it ignores our choice. */
  readonly spokenLanguages?: readonly LanguageCode[];
  /** Absent if it speaks any number of digits. */
  readonly spokenDigits?: typeof phoneDigits;
  /** Whether it reaches such numbers in this way; absent if it reaches all callable numbers. */
  reaches?(way: CallWay, number: Callee): boolean;
  /** Sends the digits as a text message. */
  text?(call: WrittenCall, signal: AbortSignal): Promise<CallPlacement>;
  /** Sends the digits by WhatsApp. */
  whatsapp?(call: Call, signal: AbortSignal): Promise<CallPlacement>;
  /** Sends the digits by Telegram. */
  telegram?(call: Call, signal: AbortSignal): Promise<CallPlacement>;
  /** Waits for a call from the user's phone and hangs up on it. */
  await?(call: Call, signal: AbortSignal): Promise<CallPlacement>;
  /** For calls of the kind `awaited`. */
  arrived?(query: { readonly reference: string }, signal: AbortSignal): Promise<ReverseCallStatus>;
  /** For calls of the kind `checked`. */
  check?(query: { readonly reference: string; readonly digits: string }, signal: AbortSignal): Promise<DigitCheck>;
  /** Delivery status of a call or message of the kind `ours` that has a reference. */
  delivery?(query: { readonly reference: string }, signal: AbortSignal): Promise<Delivery>;
  /** Reports that the user typed the digits, for the provider's own statistics. */
  succeeded?(query: { readonly reference: string; readonly digits: string }, signal: AbortSignal): Promise<void>;
  /** The provider refunds messages that it cannot deliver; `delivery` then reports them as `refunded`. */
  readonly refunds?: true;
  /** Revokes an obsolete message that is not delivered yet. */
  revoke?(query: { readonly reference: string }, signal: AbortSignal): Promise<void>;
  /** Checks the credentials without placing a call. */
  readStatus(signal: AbortSignal): Promise<ProviderStatus>;
}

export type RefusalReason =
  /** No response, or an incomprehensible one. */
  | 'unavailable'
  /** Our account with the provider is empty. */
  | 'balance'
  /** Our credentials are wrong, or our account is blocked or disabled. */
  | 'credentials'
  /** This provider, or the network behind it, does not call this number. */
  | 'rejected'
  /** The provider reports the number as invalid. */
  | 'number'
  /** The provider's own rate limit. */
  | 'rate'
  /** No request was made: the budget does not cover this provider. */
  | 'budget';

/** A call was not placed. Its message is for logs, so it never contains a number, code or secret. */
export class CallRefused extends Error {
  override readonly name = 'CallRefused';
  readonly reason: RefusalReason;
  /**
   * How many calls may still ring: 0 only if every provider clearly refused or never received a request. Silence is not a
   * refusal: a provider that responds too late has placed its call.
   */
  readonly mayRing: number;
  /** The provider charged for the attempt although nothing arrives. */
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

/** Reports only the name of an unexpected error: its message may contain secrets. */
export const asRefused = (error: unknown): CallRefused =>
  error instanceof CallRefused
    ? error
    : new CallRefused('unavailable', `failed unexpectedly (${error instanceof Error ? error.name : typeof error})`);

type Shape = Readonly<Record<string, z.ZodMiniType>>;
type Values<Settings extends Shape> = { readonly [Name in keyof Settings]: z.output<Settings[Name]> };
type Optional<Settings extends Shape> = { readonly [Name in keyof Settings]: z.ZodMiniOptional<Settings[Name]> };

type ProviderImplementation = Omit<CallProvider, 'name'>;

interface ProviderDefinition<Needed extends Shape, Other extends Shape, Provider extends ProviderImplementation> {
  /** Its name in `CALL_PROVIDERS`. */
  readonly name: string;
  /** Required settings. */
  readonly needed: Needed;
  /** Settings that are optional or have a default. */
  readonly other: Other;
  readonly open: (values: Values<Needed> & Values<Other>) => Provider;
}

/** Defines a provider: its settings, all optional in the schema of `config.ts`, and the function that opens it. */
export function defineCallProvider<Needed extends Shape, Other extends Shape, Provider extends ProviderImplementation>(
  described: ProviderDefinition<Needed, Other, Provider>,
) {
  const { name, needed, other } = described;
  const optional = Object.fromEntries(Object.entries(needed).map(([key, schema]) => [key, z.optional(schema)]));
  return {
    name,
    needed: Object.keys(needed),
    settings: { ...optional, ...other } as Optional<Needed> & Other,
    open: (values: Values<Needed> & Values<Other>) => ({ name, ...described.open(values) }),
  };
}

export const text = z.string().check(z.minLength(1));

/** A key sent in a header, limited to the characters allowed there (RFC 6750, section 2.1). */
export const headerKey = textLike(/^[\x21-\x7e]+$/, 'must be of ASCII letters, digits and signs, without blanks');

/** Requests carry keys and codes, so only this machine may be reached without TLS. */
export const apiUrl = textLike((value) => {
  const url = URL.parse(value);
  if (url?.protocol === 'https:') return true;
  return url?.protocol === 'http:' && /^(localhost|127\.[\d.]+|\[::1\])$/.test(url.hostname);
}, 'must begin with https:// (http:// only for this machine)');
