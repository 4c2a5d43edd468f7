import { isIP } from 'node:net';
import { ipv6Groups } from './visitor.ts';

const form = /^([\da-f.:]+)(?:\/(\d{1,3}))?$/i;

/** Whether a text is an address, or a range in CIDR notation (RFC 4632). */
export function isAddressRange(text: string): boolean {
  const [, address = '', prefix] = form.exec(text) ?? [];
  const family = isIP(address);
  return family !== 0 && (prefix === undefined || Number(prefix) <= (family === 4 ? 32 : 128));
}

/** A half-open range of addresses, as fractions of the IPv6 address space. */
interface Span {
  readonly from: number;
  readonly to: number;
}

/** The IPv4 addresses within IPv6 (`::ffff:0:0/96`; RFC 4291, section 2.5.5.2). */
const ipv4Bits = 96;
const ipv4: Span = { from: 0xff_ff / 2 ** ipv4Bits, to: 0x1_00_00 / 2 ** ipv4Bits };
const ipv6: Span = { from: 0, to: 1 };

/** Fraction of an address space. A sixteenth of IPv6 contains nearly all addresses in use; proxies need far fewer. */
const tooMany = 1 / 16;

/** Whether ranges together are so large, in IPv4 or IPv6, that they include addresses of strangers. */
export function coverStrangers(ranges: readonly string[]): boolean {
  const spans = ranges.map(spanOf).toSorted((a, b) => a.from - b.from);
  return [ipv4, ipv6].some((all) => covered(spans, all) >= tooMany * (all.to - all.from));
}

/** How much of a span the other spans cover; they are sorted and may overlap. */
function covered(spans: readonly Span[], { from, to }: Span): number {
  let [sum, end] = [0, from];
  for (const span of spans) {
    sum += Math.max(Math.min(span.to, to) - Math.max(span.from, end), 0);
    end = Math.max(end, span.to);
  }
  return sum;
}

function spanOf(range: string): Span {
  const [address = '', prefix] = range.split('/');
  const isIpv4 = isIP(address) === 4;
  const groups = ipv6Groups(isIpv4 ? `::ffff:${address}` : address);
  const at = groups.reduceRight((after, group) => (group + after) / 2 ** 16, 0);
  const length = 2 ** -(Number(prefix ?? (isIpv4 ? 32 : 128)) + (isIpv4 ? ipv4Bits : 0));
  const from = Math.floor(at / length) * length;
  return { from, to: from + length };
}
