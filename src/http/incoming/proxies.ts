import { BlockList, isIP } from 'node:net';

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
  const known = new Map<string, boolean>();
  return (address) => {
    const before = known.get(address);
    if (before !== undefined) return before;
    const isProxy = isIP(address) !== 0 && proxies.check(address, familyOf(address));
    if (known.size < answersKept) known.set(address, isProxy);
    return isProxy;
  };
}

const familyOf = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4');
