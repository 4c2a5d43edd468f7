import { hours } from '../../contract/durations.ts';

/** An email that could not be delivered for this long is given up. */
export const givenUpAfter = hours(24);
/** How long a link or code can wait for the delivery of its email; its own lifetime begins then. */
export const deliveryLimit = givenUpAfter + hours(1);
