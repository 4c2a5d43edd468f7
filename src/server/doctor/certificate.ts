import { once } from 'node:events';
import { isIP } from 'node:net';
import { connect, type TLSSocket } from 'node:tls';
import { isLoopbackHost } from '../../contract/pages.ts';
import { hours, seconds } from '../../contract/units.ts';

const responseTimeout = seconds(3);
const lookedAtEvery = hours(1);

/** Whether visitors need a certificate to reach this address. */
export const hasCertificate = (publicUrl: string): boolean => {
  const { protocol, hostname } = new URL(publicUrl);
  return protocol === 'https:' && !isLoopbackHost(hostname);
};

/**
 * When the certificate of our own address ends (ms since the epoch), as visitors see it, also if it is not valid. Throws if
 * this machine does not reach the address, such as behind a router without a way back.
 */
export async function certificateEndsAt(publicUrl: string): Promise<number> {
  const { hostname, port } = new URL(publicUrl);
  const host = hostname.replace(/^\[|\]$/g, '');
  // Only its dates are read, and nothing is sent.
  const socket: TLSSocket = connect({
    host,
    port: Number(port || 443),
    ...(!isIP(host) && { servername: host }),
    rejectUnauthorized: false,
  });
  try {
    await once(socket, 'secureConnect', { signal: AbortSignal.timeout(responseTimeout) });
    return Date.parse(socket.getPeerCertificate().valid_to);
  } finally {
    socket.on('error', () => undefined).destroy();
  }
}

/** Looks once an hour, in the background; undefined until it is known, and while the address cannot be reached. */
export function watchCertificate(publicUrl: string, now: () => number): () => number | undefined {
  if (!hasCertificate(publicUrl)) return () => undefined;
  let [endsAt, lookedAt]: [number | undefined, number] = [undefined, Number.NEGATIVE_INFINITY];
  return () => {
    if (Math.abs(now() - lookedAt) >= lookedAtEvery) {
      lookedAt = now();
      void certificateEndsAt(publicUrl).then(
        (ends) => {
          endsAt = ends;
        },
        () => {
          endsAt = undefined;
        },
      );
    }
    return endsAt;
  };
}
