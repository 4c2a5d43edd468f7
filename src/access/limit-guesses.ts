import type { Failure } from '../contract/failures.ts';
import type { Service } from '../server/service.ts';
import type { Origin } from '../store/visitor.ts';

interface CountedGuess {
  /** Wrong guesses by source. */
  readonly limit: Service['ownGuesses'];
  readonly from: Origin;
  /**
   * Key of a guesser who keeps a few guesses while others behind the same source are above the limit, such as the account
   * of a session or a known device; undefined for strangers.
   */
  owner(): Promise<string | undefined>;
  /** The refusal of a source that is above the limit, with the wait in milliseconds. */
  refusal(wait: number): Failure;
}

/**
 * Counts a guess as wrong before it is checked, so that parallel guesses cannot pass the limit. Returns a function that
 * takes the count back. Many people of an office share one source, so the guesses of one must not lock out the others.
 */
export async function countGuess(
  { ownGuesses }: Pick<Service, 'ownGuesses'>,
  { limit, from, owner, refusal }: CountedGuess,
): Promise<() => void> {
  const wait = limit.wait(from);
  if (wait === 0) return limit.count(from);
  const source = await owner();
  if (source === undefined) throw refusal(wait);
  // Not counted by source: taking back that count would make room for a further guess of an attacker.
  const own = { source, networks: [] };
  const ownWait = ownGuesses.wait(own);
  if (ownWait > 0) throw refusal(Math.min(wait, ownWait));
  return ownGuesses.count(own);
}

interface LimitedGuess<Verdict> extends CountedGuess {
  judge(): Promise<Verdict>;
}

/** Judges a guess unless its source has made too many wrong ones. */
export async function limitGuesses<Verdict extends { readonly state: string }>(
  service: Pick<Service, 'ownGuesses'>,
  { judge, ...guess }: LimitedGuess<Verdict>,
): Promise<Verdict> {
  const uncount = await countGuess(service, guess);
  let isWrong = false;
  try {
    const verdict = await judge();
    isWrong = verdict.state === 'wrong';
    return verdict;
  } finally {
    if (!isWrong) uncount();
  }
}
