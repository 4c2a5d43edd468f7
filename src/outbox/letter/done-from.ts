import { unknownDevice } from '../../contract/devices.ts';
import { details, type Writing } from './letter.ts';

/** Where something was done from. */
export interface DoneFrom {
  /** In words of ours such as "Firefox, Windows": a User-Agent could say anything. */
  readonly device: string;
  readonly ip: string;
  /** Milliseconds since the epoch. */
  readonly when: number;
}

/** So that the owner knows whether it was they. */
export const doneFrom = ({ say, dateTime }: Writing, { device, ip, when }: DoneFrom) =>
  details([
    device === unknownDevice ? say('mail.detail.device_unknown') : say('mail.detail.device', { device }),
    say('mail.detail.address', { ip }),
    say('mail.detail.when', { when: dateTime(when) }),
  ]);
