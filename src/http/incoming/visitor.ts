import { BlockList, isIP, isIPv4 } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { isTimeZoneName, timeZoneHeader } from '../../contract/fields/time.ts';
import { isLoopbackHost } from '../../contract/pages.ts';
import { BoundedMap } from '../../runtime/bounded-map.ts';
import type { Network, Visitor } from '../../store/visitor.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The client that sent this, as known when the request arrived. */
    visitor: Visitor;
  }
}

const userAgentKept = 300;
/** For a connection that was reset before we read its address: the unspecified address (RFC 6890, section 2.2.2). */
const unspecifiedAddress = '0.0.0.0';

/** Reads the visitor when a request arrives: a connection that is reset later no longer has an address. */
export function readVisitors(app: FastifyInstance): void {
  app.decorateRequest('visitor');
  app.addHook('onRequest', (request, _reply, done) => {
    request.visitor = visitorOf(request);
    done();
  });
}

function visitorOf(request: FastifyRequest): Visitor {
  const userAgent = (request.headers['user-agent'] ?? '').slice(0, userAgentKept);
  const timeZone = request.headers[timeZoneHeader.toLowerCase()];
  const ip = addressOf(request);
  return {
    ip,
    userAgent,
    timeZone: isTimeZoneName(timeZone) ? timeZone : undefined,
    ...rateLimitOrigin(ip),
  };
}

/** A trusted proxy may forward something other than an address; then the proxy's own address counts. */
function addressOf(request: FastifyRequest): string {
  const forwarded = withoutPort(request.ip);
  if (isIP(forwarded) !== 0) return forwarded;
  const { remoteAddress = '' } = request.raw.socket;
  return isIP(remoteAddress) !== 0 ? remoteAddress : unspecifiedAddress;
}

/** The keys by which rate limits count an address. */
export function rateLimitOrigin(ip: string): Pick<Visitor, 'source' | 'networks' | 'paidNetworks'> {
  const ipv4 = isIPv4(ip) ? ip : mappedIpv4(ip);
  if (ipv4) {
    const block = ipv4.slice(0, ipv4.lastIndexOf('.'));
    return { source: ipv4, networks: [], paidNetworks: [{ name: `${block}.0/24`, sources: 8 }] };
  }
  const [a = 0, b = 0, c = 0, d = 0] = ipv6Groups(ip);
  const site = [a, b, c].map((group) => group.toString(16)).join(':');
  const networks: Network[] = [
    { name: `${site}:${(d & 0xff00).toString(16)}::/56`, sources: 2 },
    { name: `${site}::/48`, sources: 8 },
  ];
  return { source: `${site}:${d.toString(16)}::/64`, networks, paidNetworks: networks };
}

/** The IPv4 address in an IPv4-mapped IPv6 address (RFC 4291, section 2.5.5.2); undefined for other addresses. */
function mappedIpv4(ip: string): string | undefined {
  const groups = ipv6Groups(ip);
  if (groups.slice(0, 5).some((group) => group !== 0) || groups[5] !== 0xffff) return undefined;
  return groups
    .slice(6)
    .flatMap((group) => [group >> 8, group & 0xff])
    .join('.');
}

/** The eight groups of an IPv6 address; `URL` normalizes its spelling. */
function ipv6Groups(ip: string): number[] {
  const written = URL.parse(`http://[${ip.split('%', 1)[0]}]/`)?.hostname.slice(1, -1) ?? '::';
  const [head = '', tail] = written.split('::');
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeros = tail === undefined ? [] : Array.from({ length: 8 - left.length - right.length }, () => '0');
  return [...left, ...zeros, ...right].map((group) => Number.parseInt(group, 16));
}

const maxKept = 1000;

/** Checks whether an address is one of the operator's proxies. Caches results: nearly all requests come from a few. */
export function openProxyCheck(ranges: readonly string[]): (address: string) => boolean {
  const proxies = new BlockList();
  for (const range of ranges) {
    const [address = '', bits] = range.split('/');
    const family = familyOf(address);
    if (bits === undefined) proxies.addAddress(address, family);
    else proxies.addSubnet(address, Number(bits), family);
  }
  const known = new BoundedMap<string, boolean>(maxKept);
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
function withoutPort(forwarded: string): string {
  const [, ipv6, ipv4] = written.exec(forwarded) ?? [];
  return ipv6 ?? ipv4 ?? forwarded;
}

const familyOf = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4');

/** The sources of this node's requests since it started. */
export type SourcesSeen = ReturnType<typeof openSourcesSeen>;

/** Under a public URL, this many requests from a single source hardly come from one person, but from a proxy. */
const manyRequests = 100;

/**
 * Behind a proxy that does not forward addresses, all visitors look like one and share its rate limits. On a
 * developer's machine, a single source is normal.
 */
export function openSourcesSeen({ PUBLIC_URL }: { PUBLIC_URL: string }) {
  const isPublic = !isLoopbackHost(new URL(PUBLIC_URL).hostname);
  let [first, requests, isOne]: [string | undefined, number, boolean] = [undefined, 0, true];
  return {
    see(source: string): void {
      first ??= source;
      isOne &&= source === first;
      requests += 1;
    },
    /** The source of all requests; undefined if there are several sources, or too few requests to tell. */
    only: (): string | undefined => (isPublic && isOne && requests >= manyRequests ? first : undefined),
  };
}

/** Health checks and similar requests really do come from one address. */
const askedByMachines = /^\/(?:healthz|readyz|\.well-known\/|openapi\.json)/;

/** Counts sources, and warns the operator once if all visitors seem to share one address. */
export function watchSources(app: FastifyInstance, sources: SourcesSeen): void {
  let isReported = false;
  app.addHook('onRequest', ({ url, visitor }, _reply, done) => {
    if (!askedByMachines.test(url)) {
      sources.see(visitor.source);
      const only = sources.only();
      if (only !== undefined && !isReported) {
        isReported = true;
        app.log.warn({ ip: only }, oneAddress);
      }
    }
    done();
  });
}

const oneAddress =
  'all visitors seem to share one address and thus its rate limits: make the proxy send X-Forwarded-For, and list it in TRUSTED_PROXIES';

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
