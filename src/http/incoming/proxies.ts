import { BlockList, isIP } from 'node:net';
import { BoundedMap } from '../../runtime/bounded-map.ts';

const answersKept = 1000;

/** Checks whether an address is one of the operator's proxies. Caches results: nearly all requests come from a few. */
export function openProxyCheck(ranges: readonly string[]): (address: string) => boolean {
  const proxies = new BlockList();
  for (const range of ranges) {
    const [address = '', bits] = range.split('/');
    const family = familyOf(address);
    if (bits === undefined) proxies.addAddress(address, family);
    else proxies.addSubnet(address, Number(bits), family);
  }
  const known = new BoundedMap<string, boolean>(answersKept);
  return (forwarded) => {
    const before = known.get(forwarded);
    if (before !== undefined) return before;
    const address = withoutPort(forwarded);
    const isProxy = isIP(address) !== 0 && proxies.check(address, familyOf(address));
    known.set(forwarded, isProxy);
    return isProxy;
  };
}

const written = /^(?:\[([^[\]]{2,60})\](?::\d{1,5})?|([\d.]{7,15}):\d{1,5})$/;

/** The address in a text such as `203.0.113.5:51034` or `[2001:db8::1]:443`: some proxies add the port. */
export function withoutPort(forwarded: string): string {
  const [, ipv6, ipv4] = written.exec(forwarded) ?? [];
  return ipv6 ?? ipv4 ?? forwarded;
}

const familyOf = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4');
