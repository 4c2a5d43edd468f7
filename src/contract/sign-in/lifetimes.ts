import { minutes } from '../durations.ts';

/** An unused session on a shared computer ends after this time; its page ends it, because an idle page polls. */
export const sharedIdleLifetime = minutes(30);
/** How long the challenge of a passkey is valid. Pages renew it before. */
export const challengeLifetime = minutes(5);
