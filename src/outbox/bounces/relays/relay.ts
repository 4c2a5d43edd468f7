import * as z from 'zod/mini';
import { Failure } from '../../../contract/failures.ts';
import { days, hours } from '../../../contract/units.ts';
import { toSingleLine } from '../../../outgoing/send-request.ts';
import { verdictOf } from '../../refusals.ts';
import type { BounceReport } from '../bounce-handler.ts';

/** A request that claims to come from a relay. */
export interface RelayRequest {
  header(name: string): string;
  readonly body: Buffer;
  readonly now: number;
}

/** An email provider that sends for us and reports bounces. */
export interface Relay {
  readonly name: Exclude<BounceReport['by'], 'dsn'>;
  /** Bytes of its largest request, if less than a mebibyte. */
  readonly largestBody?: number;
  /** Returns the reports in a request. Throws a `Failure` if the relay did not send it, or if its format is wrong. */
  read(request: RelayRequest): Promise<readonly BounceReport[]>;
}

/** The request does not prove that it comes from the relay. */
export const forged = (cause?: unknown): Failure => new Failure('not_signed_in', { cause });
/** The request may come from the relay, but has no format that the relay documents. */
export const unreadable = (cause?: unknown): Failure => new Failure('malformed_request', { cause });

const oldest = days(7);
/** Relays' clocks may be ahead. */
const newest = hours(1);

/**
 * Refuses old reports (times in ms since the epoch): once `store/clean-up.ts` has removed the trace of a report, a
 * replay would take effect again.
 */
export function refuseReplay(sentAt: number, now: number): void {
  if (!(now - sentAt <= oldest && sentAt - now <= newest)) throw forged();
}

/**
 * The kind of a bounce that the relay calls permanent. The refusing server's enhanced status code decides; without a
 * conclusive one, the relay's word does.
 */
export const kindOfBounce = (...texts: readonly string[]): 'no_such_address' | 'refused' =>
  verdictOf(...texts) === 'refused' ? 'refused' : 'no_such_address';

/** Parses JSON with a schema and drops fields that the schema does not name. Throws a `Failure`. */
export function readAs<S extends z.ZodMiniType>(form: S, text: string): z.output<S> {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw unreadable(error);
  }
  const read = form.safeParse(value);
  if (!read.success) throw unreadable();
  return read.data;
}

const longestId = 300;
const longestAddress = 320;

/** PostgreSQL rejects text with a zero byte. */
const text = z.string().check(z.regex(/^\P{Cc}*$/u));

export const id = text.check(z.minLength(1), z.maxLength(longestId));
export const address = text.check(z.minLength(3), z.maxLength(longestAddress));
/** Text for people; empty if the value is not a string. */
export const words = z.pipe(z.catch(z.string(), ''), z.transform(toSingleLine));
