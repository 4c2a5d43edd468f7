import { hours, minutes } from '../contract/units.ts';
import { openFairShares, openRateLimiter } from '../http/rate-limits/rate-limiter.ts';
import type { Config } from './settings/config.ts';

/** Rate limits that each node counts in memory; those in the database are in `store/rate-limits.ts`. */
export type RateLimiters = Readonly<ReturnType<typeof openRateLimiters>>;

export function openRateLimiters(config: Config, now: () => number) {
  const limit = (count: number, within: number, name?: string) => openRateLimiter({ limit: count, within, now, name });
  return {
    signInFailures: limit(config.SIGN_IN_FAILURES_PER_ADDRESS, minutes(15)),
    /**
     * By account or known device; counts successful sign-ins also. No user signs in more often; beyond it, sign-ins get
     * fewer turns.
     */
    signInsOfAccount: limit(100, minutes(15)),
    /** Each change writes rows that are kept for a long time. */
    changesOfAccount: limit(120, hours(1), 'changes'),
    /** Each export reads everything that is stored about an account; no other request does. */
    exportsOfAccount: limit(6, hours(1), 'exports'),
    /** By operator or key: each search writes an entry of the audit log, for which others wait. */
    searchesOfOperator: limit(100, minutes(1), 'searches'),
    /** By viewer: addresses and numbers, which they do not see, and could guess. */
    guessesOfViewer: limit(60, minutes(15), 'guesses'),
    /** By operator or key: each is a request to another server, which may take seconds to respond. */
    webhookTestsOfOperator: limit(30, minutes(15), 'tests'),
    registrationGuesses: limit(config.REGISTRATION_GUESSES_PER_ADDRESS, minutes(15)),
    newAccounts: limit(config.ACCOUNTS_PER_ADDRESS, hours(1)),
    /** Wrong codes for second steps of any account, by source. Each account also has its lockout. */
    secondStepGuesses: limit(20, minutes(15)),
    /** Wrong passwords and codes of signed-in users, by source, besides the lockout of each account. */
    stepUpGuesses: limit(20, minutes(15)),
    /** Guesses that an account or a known device keeps while its source is above one of the limits. */
    ownGuesses: limit(3, minutes(15)),
    /** Wrong codes that a device shows (34 random bits), by source. */
    userCodeGuesses: limit(20, minutes(15)),
    /** Wrong codes of computers, by source. A code has 60 random bits. */
    enrolmentGuesses: limit(100, minutes(15)),
    /** By source. Each load of the sign-in page requests a challenge, and an office shares one address. */
    passkeyChallenges: limit(1000, minutes(15)),
    /** By source; successful sign-ins do not count. */
    passkeyFailures: limit(100, minutes(15)),
    /** A device that catches up after days offline sends many batches; more indicates a bug or a stolen token. */
    deviceRequests: limit(240, minutes(1), 'device'),
    /** By client: refusals that are stored for `clients why`. Anyone can cause them; the log has all. */
    storedRefusals: limit(60, minutes(1)),
    /** Wrong secrets of applications, by source. They have 256 bits, so this only keeps mistakes from costing much. */
    clientSecretFailures: limit(100, minutes(15)),
    /** Refreshes of an application for one session; each stores a token. */
    refreshesOfGrant: limit(300, minutes(10)),
    /** Sign-ins to applications and guards of one browser; each is stored for up to an hour. */
    openIdBeginningsOfSession: limit(300, minutes(15)),
    /**
     * What applications begin for browsers without a session, by source, and with a secret, by client. Each is stored for up
     * to an hour, and an office behind one address signs in together in the morning.
     */
    openIdBeginnings: openFairShares({ share: 300, capacity: 10_000, within: minutes(15), now }),
  };
}
