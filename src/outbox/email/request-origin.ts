import { unknownDevice } from '../../contract/devices.ts';
import { details, type EmailContext } from './email-content.ts';

/** Where a request came from. */
export interface RequestOrigin {
  /** A name of our own, such as "Firefox, Windows": a User-Agent could contain anything. */
  readonly device: string;
  readonly ip: string;
  /** In the email's language; undefined if unknown. */
  readonly place?: string | undefined;
  /** Milliseconds since the epoch. */
  readonly when: number;
}

/** `when`: undefined if the email already gives the time. */
type ShownOrigin = Omit<RequestOrigin, 'when'> & { readonly when: number | undefined };

/** Shows owners where a request came from, so that they can tell whether it was theirs. */
export const requestOriginDetails = ({ say, dateTime }: EmailContext, { device, ip, place, when }: ShownOrigin) =>
  details([
    device === unknownDevice ? say('mail.detail.device_unknown') : say('mail.detail.device', { device }),
    say('mail.detail.address', { ip }),
    ...(place === undefined ? [] : [say('mail.detail.place', { place })]),
    ...(when === undefined ? [] : [say('mail.detail.when', { when: dateTime(when) })]),
  ]);
