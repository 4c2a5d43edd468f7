import { days, minutes } from '../../../contract/units.ts';
import { sessionLifetime } from '../../../store/access/sessions.ts';

const inSeconds = (milliseconds: number) => milliseconds / 1000;

/** How long a grant lasts that does not depend on a session: after this, the person signs in again. */
export const offlineLifetime = days(365);

/** Lifetimes in seconds. A grant ends with its session, even if its tokens are valid for longer. */
export const lifetimes = {
  AuthorizationCode: inSeconds(minutes(1)),
  AccessToken: inSeconds(minutes(10)),
  ClientCredentials: inSeconds(minutes(10)),
  IdToken: inSeconds(minutes(10)),
  /** Unused; each refresh issues a new one. */
  RefreshToken: inSeconds(days(30)),
  DeviceCode: inSeconds(minutes(10)),
  Interaction: inSeconds(minutes(60)),
  /** The library requires both, but our tables decide when they end (`adapter.ts`). */
  Session: inSeconds(sessionLifetime),
  Grant: inSeconds(offlineLifetime),
};
