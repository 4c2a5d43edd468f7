import { isIP } from 'node:net';
import { ipv6Groups } from './address-groups.ts';

const form = /^([\da-f.:]+)(?:\/(\d{1,3}))?$/i;

/** Whether a text is an address, or a range of them in CIDR notation (RFC 4632). */
export function isAddressRange(text: string): boolean {
  const [, address = '', prefix] = form.exec(text) ?? [];
  const family = isIP(address);
  return family !== 0 && (prefix === undefined || Number(prefix) <= (family === 4 ? 32 : 128));
}

/** Addresses from one to before another, as parts of all of IPv6. */
interface Span {
  readonly from: number;
  readonly to: number;
}

/** Where IPv4 is in IPv6 (`::ffff:0:0/96`; RFC 4291, section 2.5.5.2). */
const ipv4Bits = 96;
const ipv4: Span = { from: 0xff_ff / 2 ** ipv4Bits, to: 0x1_00_00 / 2 ** ipv4Bits };
const ipv6: Span = { from: 0, to: 1 };

/** As a part of all. A sixteenth of IPv6 has nearly all that are in use, and nobody's proxies come from as many. */
const tooMany = 1 / 16;

/** Whether ranges add up to so many addresses of IPv4 or IPv6 that strangers have some of them. */
export function coverStrangers(ranges: readonly string[]): boolean {
  const spans = ranges.map(spanOf).toSorted((a, b) => a.from - b.from);
  return [ipv4, ipv6].some((all) => covered(spans, all) >= tooMany * (all.to - all.from));
}

/** How much of a span others cover, which come in order and may overlap. */
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
