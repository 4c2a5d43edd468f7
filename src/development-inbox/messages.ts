import { isLoopbackHost } from '../contract/loopback.ts';
import type { Inbox } from './inbox.ts';

/** The inbox as its pages need it. */
export type InboxReader = Pick<Inbox, 'list' | 'read' | 'listen'> & {
  readonly calls: Pick<Inbox['calls'], 'list' | 'listen'>;
};

interface Caller {
  /** Of the connection itself, whatever a header says. */
  readonly remoteAddress: string | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
}

const proxyHeaders = [
  'forwarded',
  'via',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
  'cf-connecting-ip',
];

/**
 * Whether somebody at this machine asks. Mails hold live links, so neither a proxy on this machine may pass on a
 * stranger's request, nor a site whose name was rebound to 127.0.0.1 read them through the developer's browser.
 */
export function isFromThisMachine({ remoteAddress = '', headers }: Caller): boolean {
  return (
    // An IPv4 address that came over IPv6 counts as itself.
    isLoopbackHost(remoteAddress.replace(/^::ffff:/i, '')) &&
    proxyHeaders.every((name) => headers[name] === undefined) &&
    isLoopbackHost(String(headers.host).replace(/:\d+$/, ''))
  );
}
