import { lookup as systemLookup } from 'node:dns';
import { BlockList, isIP, type LookupFunction } from 'node:net';

/** Addresses that are not of the public internet (IANA's registries of special-purpose addresses). */
const special = new BlockList();
for (const range of [
  ...['0.0.0.0/8', '10.0.0.0/8', '100.64.0.0/10', '127.0.0.0/8', '169.254.0.0/16', '172.16.0.0/12', '192.0.0.0/24'],
  ...['192.0.2.0/24', '192.88.99.0/24', '192.168.0.0/16', '198.18.0.0/15', '198.51.100.0/24', '203.0.113.0/24'],
  '224.0.0.0/3',
])
  add(special, range);

/** The public addresses of IPv6, and the ranges within them that lead elsewhere, such as to IPv4. */
const global = new BlockList();
add(global, '2000::/3');
for (const range of ['2001::/23', '2001:db8::/32', '2002::/16', '3fff::/20']) add(special, range);

function add(list: BlockList, range: string): void {
  const [address = '', prefix] = range.split('/');
  const isIpv4 = isIP(address) === 4;
  list.addSubnet(address, Number(prefix ?? (isIpv4 ? 32 : 128)), isIpv4 ? 'ipv4' : 'ipv6');
}

function isPublic(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !special.check(address, 'ipv4');
  return family === 6 && global.check(address, 'ipv6') && !special.check(address, 'ipv6');
}

/** Which addresses that users name a request may go to. */
export interface Reach {
  /** Whether a URL may be used at all, before its host is looked up. */
  allows(url: URL): boolean;
  /** For the request: refuses a host with an address that it may not reach, also if that changes after a check. */
  lookupFor(url: URL): LookupFunction;
}

/**
 * URLs of users lead only to `https:` at public addresses. In the operator's own ranges (CIDR), `http:` is also allowed.
 */
export function openReach(ranges: readonly string[]): Reach {
  const own = new BlockList();
  for (const range of ranges) add(own, range);
  const isOwn = (address: string) => own.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6');
  const mayReach = ({ protocol }: URL, address: string) =>
    isOwn(address) || (protocol === 'https:' && isPublic(address));
  return {
    allows(url) {
      const { protocol, username, password, hostname } = url;
      if (username !== '' || password !== '') return false;
      if (protocol !== 'https:' && !(protocol === 'http:' && ranges.length > 0)) return false;
      const literal = hostname.replace(/^\[|\]$/g, '');
      return isIP(literal) === 0 || mayReach(url, literal);
    },
    lookupFor: (url) => (hostname, options, done) =>
      systemLookup(hostname, { ...options, all: true }, (error, addresses) => {
        const refused = !error && !addresses.every(({ address }) => mayReach(url, address));
        const problem = refused ? Object.assign(new Error(`${hostname} is private`), { code: 'EPRIVATE' }) : error;
        const [first] = addresses ?? [];
        if (problem || !first) done(problem ?? new Error(`${hostname} has no address`), '', 0);
        else if (options.all) done(null, addresses);
        else done(null, first.address, first.family);
      }),
  };
}
