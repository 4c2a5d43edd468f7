import * as z from 'zod/mini';
import { days, hours } from '../../../contract/durations.ts';
import { Failure } from '../../../contract/failures.ts';
import { verdictOf } from '../../enhanced-status.ts';
import { toSingleLine } from '../../single-line.ts';
import type { BounceReport } from '../bounce-handler.ts';

/** A request that says to come from a relay. */
export interface RelayRequest {
  header(name: string): string;
  readonly body: Buffer;
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** A mail service that sends for us and tells what came back. */
export interface Relay {
  readonly name: Exclude<BounceReport['by'], 'dsn'>;
  /** Bytes of its largest request, where that is less than a mebibyte. */
  readonly largestBody?: number;
  /** What a request tells of, or nothing; throws a `Failure` for one that is not from the relay, or not in its form. */
  read(request: RelayRequest): Promise<readonly BounceReport[]>;
}

/** Not from the relay, as far as it shows. */
export const forged = (cause?: unknown): Failure => new Failure('not_signed_in', { cause });
/** From the relay, perhaps, and in no form that it documents. */
export const unreadable = (cause?: unknown): Failure => new Failure('malformed_request', { cause });

const oldest = days(7);
/** Their clocks may be wrong. */
const newest = hours(1);

/** What was told longer ago than its trace is kept (`store/clean-up.ts`) would have its effect again. */
export function refuseReplay(toldAt: number, now: number): void {
  if (!(now - toldAt <= oldest && toldAt - now <= newest)) throw forged();
}

/**
 * What a bounce means that the relay calls permanent: the enhanced status code of the server that refused it decides, and
 * the relay's own word only where there is no telling code.
 */
export const kindOfBounce = (...texts: readonly string[]): 'no_such_address' | 'refused' =>
  verdictOf(...texts) === 'refused' ? 'refused' : 'no_such_address';

/** Reads JSON in a form; what it does not name is left out. */
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

/** PostgreSQL has no text with a zero byte. */
const text = z.string().check(z.regex(/^\P{Cc}*$/u));

export const id = text.check(z.minLength(1), z.maxLength(longestId));
export const address = text.check(z.minLength(3), z.maxLength(longestAddress));
/** Words that are for people: of any form, and none where they are something else. */
export const words = z.pipe(z.catch(z.string(), ''), z.transform(toSingleLine));
