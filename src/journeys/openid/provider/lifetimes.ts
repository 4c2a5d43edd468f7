import { days, minutes } from '../../../contract/durations.ts';

const inSeconds = (milliseconds: number) => milliseconds / 1000;

/** Lifetimes in seconds. A grant ends with its session, even if its tokens are valid for longer. */
export const lifetimes = {
  AuthorizationCode: inSeconds(minutes(1)),
  AccessToken: inSeconds(minutes(10)),
  ClientCredentials: inSeconds(minutes(10)),
  IdToken: inSeconds(minutes(10)),
  RefreshToken: inSeconds(days(30)),
  DeviceCode: inSeconds(minutes(10)),
  Interaction: inSeconds(minutes(60)),
  Session: inSeconds(days(30)),
  Grant: inSeconds(days(365)),
};
