import { unknownDevice } from '../../contract/devices.ts';
import { details, type EmailContext } from './email-content.ts';

/** Where something was done from. */
export interface RequestOrigin {
  /** In words of ours such as "Firefox, Windows": a User-Agent could say anything. */
  readonly device: string;
  readonly ip: string;
  /** In the letter's language, as far as somebody knows. */
  readonly place?: string | undefined;
  /** Milliseconds since the epoch. */
  readonly when: number;
}

/** So that the owner knows whether it was they. */
export const requestOriginDetails = ({ say, dateTime }: EmailContext, { device, ip, place, when }: RequestOrigin) =>
  details([
    device === unknownDevice ? say('mail.detail.device_unknown') : say('mail.detail.device', { device }),
    say('mail.detail.address', { ip }),
    ...(place === undefined ? [] : [say('mail.detail.place', { place })]),
    say('mail.detail.when', { when: dateTime(when) }),
  ]);
