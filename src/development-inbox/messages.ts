import { isLoopbackHost } from '../contract/loopback.ts';
import type { Inbox } from './inbox.ts';

/** The part of the inbox that its pages use. */
export type InboxReader = Pick<Inbox, 'list' | 'read' | 'listen'> & {
  readonly calls: Inbox['calls'];
};

interface Caller {
  /** Address of the connection itself, regardless of headers. */
  readonly remoteAddress: string | undefined;
  readonly httpVersion: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** Headers that proxies and content delivery networks add. */
const proxyHeader =
  /^(?:forwarded$|via$|cdn-|cf-|fastly-|true-client-|x-(?:client|cluster|envoy|forwarded|original|real))/;

/**
 * Whether a request comes from this machine. Emails contain live links. A proxy on this machine must not forward a
 * stranger's request, and a site whose name was rebound to 127.0.0.1 must not read emails through the developer's
 * browser. So the host must equal that of the public URL, which proxies replace by the address that they forward to.
 */
export function isFromThisMachine({ remoteAddress = '', httpVersion, headers }: Caller, publicUrl: string): boolean {
  return (
    // IPv4-mapped IPv6 addresses count as IPv4.
    isLoopbackHost(remoteAddress.replace(/^::ffff:/i, '')) &&
    // No browser speaks HTTP/1.0; proxies do.
    httpVersion === '1.1' &&
    !Object.keys(headers).some((name) => proxyHeader.test(name)) &&
    headers.host === new URL(publicUrl).host
  );
}
