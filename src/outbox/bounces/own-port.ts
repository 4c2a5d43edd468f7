import * as z from 'zod/mini';
import { isLoopbackHost } from '../../contract/loopback.ts';

/** The port on this machine that receives bounces. */
export interface OwnPort {
  /** LMTP (RFC 2033) has its own greeting; mail servers use it for local delivery. */
  readonly protocol: 'smtp' | 'lmtp';
  readonly host: string;
  readonly port: number;
}

const form = /^(?:(smtp|lmtp):\/\/)?(.+)$/;

function read(value: string): OwnPort | undefined {
  const [, protocol = 'smtp', place = ''] = form.exec(value) ?? [];
  const { hostname = '', port = '', host } = URL.parse(`tcp://${place}`) ?? {};
  if (!isLoopbackHost(hostname) || port === '' || host !== place) return undefined;
  return {
    protocol: protocol === 'lmtp' ? 'lmtp' : 'smtp',
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port),
  };
}

/** `BOUNCE_LISTEN`: `127.0.0.1:2525`, or `lmtp://127.0.0.1:2424`. */
export const ownPort = z.pipe(
  z
    .string()
    .check(
      z.refine(
        (value) => read(value) !== undefined,
        'must be a port on this machine, such as 127.0.0.1:2525 or lmtp://127.0.0.1:2424',
      ),
    ),
  z.transform((value) => read(value) as OwnPort),
);
