import { BlockList, isIP } from 'node:net';
import type { Inbox } from '../../outbox/senders/development-inbox.ts';

/** The inbox as its pages need it. */
export type InboxReader = Pick<Inbox, 'list' | 'read' | 'listen'>;

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

interface Caller {
  /** Of the connection itself, whatever a header says. */
  readonly remoteAddress: string | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

const proxyHeaders = ['forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host', 'x-real-ip'];

/**
 * Whether somebody at this machine asks. Mails hold live links, so neither a proxy on this machine may pass on a
 * stranger's request, nor a site whose name was rebound to 127.0.0.1 read them through the developer's browser.
 */
export function isFromThisMachine({ remoteAddress = '', headers }: Caller): boolean {
  return (
    isLoopback(remoteAddress) &&
    proxyHeaders.every((name) => headers[name] === undefined) &&
    isLoopbackName(URL.parse(`http://${headers.host}`)?.hostname ?? '')
  );
}

/** An IPv4 address that came over IPv6 counts as itself. */
function isLoopback(address: string): boolean {
  const plain = address.replace(/^::ffff:/i, '');
  return isIP(plain) !== 0 && loopback.check(plain, isIP(plain) === 4 ? 'ipv4' : 'ipv6');
}

const isLoopbackName = (name: string): boolean =>
  name === 'localhost' || name.endsWith('.localhost') || isLoopback(name.replace(/^\[|\]$/g, ''));
