import { deviceName } from '../../outbox/device-name.ts';
import type { RequestOrigin } from '../../outbox/email/request-origin.ts';
import type { Visitor } from '../../store/visitor.ts';

interface SeenRequest {
  readonly visitor: Pick<Visitor, 'ip' | 'userAgent'>;
  /** Milliseconds since the epoch. */
  readonly at: number;
}

/** Where a request came from, for the email about it; undefined if it was an operator or the service itself. */
export const requestOrigin = ({ visitor: { ip, userAgent }, at }: SeenRequest): RequestOrigin | undefined =>
  ip === '' ? undefined : { device: deviceName(userAgent), ip, when: at };
