import type { Failure } from '../contract/failures.ts';
import type { Service } from '../server/service.ts';
import type { Origin } from '../store/visitor.ts';

interface LimitedGuess<Verdict> {
  readonly limit: Service['stepUpGuesses'];
  readonly from: Origin;
  /** The refusal of a source that is above the limit, with the wait in milliseconds. */
  refusal(wait: number): Failure;
  judge(): Promise<Verdict>;
}

/** Judges a guess unless its source has made too many wrong ones. */
export async function limitGuesses<Verdict extends { readonly state: string }>({
  limit,
  from,
  refusal,
  judge,
}: LimitedGuess<Verdict>): Promise<Verdict> {
  const wait = limit.wait(from);
  if (wait > 0) throw refusal(wait);
  // Before the first `await`, so that parallel guesses cannot pass the limit.
  const uncount = limit.count(from);
  let isWrong = false;
  try {
    const verdict = await judge();
    isWrong = verdict.state === 'wrong';
    return verdict;
  } finally {
    if (!isWrong) uncount();
  }
}
