import { isLoopbackHost } from '../contract/loopback.ts';
import type { Inbox } from './inbox.ts';

/** The inbox as its pages need it. */
export type InboxReader = Pick<Inbox, 'list' | 'read' | 'listen'> & {
  readonly calls: Inbox['calls'];
};

interface Caller {
  /** Of the connection itself, whatever a header says. */
  readonly remoteAddress: string | undefined;
  readonly httpVersion: string;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

/** What proxies and content delivery networks add. */
const proxyHeader =
  /^(?:forwarded$|via$|cdn-|cf-|fastly-|true-client-|x-(?:client|cluster|envoy|forwarded|original|real))/;

/**
 * Whether somebody at this machine asks. Mails hold live links, so neither a proxy on this machine may pass on a
 * stranger's request, nor a site whose name was rebound to 127.0.0.1 read them through the developer's browser: the
 * host is the public URL's own, which proxies replace by the address that they pass on to.
 */
export function isFromThisMachine({ remoteAddress = '', httpVersion, headers }: Caller, publicUrl: string): boolean {
  return (
    // An IPv4 address that came over IPv6 counts as itself.
    isLoopbackHost(remoteAddress.replace(/^::ffff:/i, '')) &&
    // No browser speaks HTTP/1.0; proxies do.
    httpVersion === '1.1' &&
    !Object.keys(headers).some((name) => proxyHeader.test(name)) &&
    headers.host === new URL(publicUrl).host
  );
}
