/** The eight groups of an IPv6 address; `URL` normalizes its spelling. */
export function ipv6Groups(ip: string): number[] {
  const written = URL.parse(`http://[${ip.split('%', 1)[0]}]/`)?.hostname.slice(1, -1) ?? '::';
  const [head = '', tail] = written.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? [] : Array.from({ length: 8 - left.length - right.length }, () => '0');
  return [...left, ...zeros, ...right].map((group) => Number.parseInt(group, 16));
}
