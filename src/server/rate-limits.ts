import { hours, minutes } from '../contract/durations.ts';
import { openRateLimiter } from '../http/rate-limits/rate-limiter.ts';
import type { Config } from './config.ts';

// Rate limits that each node counts in memory; those in the database are in `store/rate-limits.ts`.

/** Per account in 15 minutes. No user signs in more often; beyond it, sign-ins get fewer turns. */
const signInsInARow = 100;
/** Wrong codes of computers, by source. A code has 60 random bits. */
const enrolmentGuessesInARow = 100;
/** Wrong codes that a device shows (34 random bits), by source. */
const userCodeGuessesInARow = 20;
/** Per source in 15 minutes. Each load of the sign-in page requests one, and an office shares one address. */
const passkeyChallengesInARow = 1000;
/** Per source in 15 minutes; successful sign-ins do not count. */
const passkeyFailuresInARow = 100;
/** Wrong codes for second steps of any account, by source. Each account also has its lockout. */
const secondStepGuessesInARow = 20;
/** Wrong passwords and codes of signed-in users, by source, besides the lockout of each account. */
const stepUpGuessesInARow = 20;
/** Guesses that an account or a known device keeps in 15 minutes while its source is above one of the limits. */
const ownGuessesInARow = 3;
/** A device that catches up after days offline sends many batches; more indicates a bug or a stolen token. */
const deviceRequestsAMinute = 240;
/**
 * Per session, or per source without one, in 15 minutes. Each request is stored for up to an hour, and an office behind
 * one address signs in together in the morning.
 */
const openIdBeginningsInARow = 300;

/** Each change writes rows that are kept for a long time. */
const changesAnHour = 120;
/** Each export reads everything that is stored about an account; no other request does. */
const exportsAnHour = 6;

/** Opens the limiters, all at zero. */
export function openRateLimiters(config: Config, now: () => number) {
  const limit = (count: number, within: number) => openRateLimiter({ limit: count, within, now });
  return {
    signInFailures: limit(config.SIGN_IN_FAILURES_PER_ADDRESS, minutes(15)),
    signInsOfAccount: limit(signInsInARow, minutes(15)),
    changesOfAccount: limit(changesAnHour, hours(1)),
    exportsOfAccount: limit(exportsAnHour, hours(1)),
    registrationGuesses: limit(config.REGISTRATION_GUESSES_PER_ADDRESS, minutes(15)),
    newAccounts: limit(config.ACCOUNTS_PER_ADDRESS, hours(1)),
    secondStepGuesses: limit(secondStepGuessesInARow, minutes(15)),
    stepUpGuesses: limit(stepUpGuessesInARow, minutes(15)),
    ownGuesses: limit(ownGuessesInARow, minutes(15)),
    userCodeGuesses: limit(userCodeGuessesInARow, minutes(15)),
    enrolmentGuesses: limit(enrolmentGuessesInARow, minutes(15)),
    passkeyChallenges: limit(passkeyChallengesInARow, minutes(15)),
    passkeyFailures: limit(passkeyFailuresInARow, minutes(15)),
    deviceRequests: limit(deviceRequestsAMinute, minutes(1)),
    openIdBeginnings: limit(openIdBeginningsInARow, minutes(15)),
  };
}
