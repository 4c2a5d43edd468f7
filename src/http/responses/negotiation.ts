import type { FastifyRequest } from 'fastify';
import Negotiator from 'negotiator';
import { defaultLanguage, isLanguageCode, type LanguageCode } from '../../contract/languages.ts';
import { localeCookie } from '../../contract/pages.ts';
import { BoundedMap } from '../../runtime/bounded-map.ts';

/** The one with the shortest result first. */
const codings = ['br', 'gzip'] as const;
type Coding = (typeof codings)[number];

/** Characters of a header; browsers send less, so longer ones are ignored. */
const longestWish = 1000;
/** Browsers send few distinct headers. */
const wishesKept = 100;

/** Content negotiation (RFC 9110, section 12.5). */
export function openNegotiation() {
  const codingOf = new BoundedMap<string, Coding | undefined>(wishesKept);
  return {
    wantedLanguage: (request: FastifyRequest): LanguageCode =>
      detectLanguage(request.cookies[localeCookie], wishes(request, 'accept-language').languages()),
    /** Undefined if the text must be sent uncompressed. */
    wantedCoding(request: FastifyRequest): Coding | undefined {
      const wish = String(request.headers['accept-encoding'] ?? '');
      if (codingOf.has(wish)) return codingOf.get(wish);
      const accepted = wishes(request, 'accept-encoding').encodings(codings);
      const coding = codings.find((candidate) => accepted.includes(candidate));
      if (wish.length <= longestWish) codingOf.set(wish, coding);
      return coding;
    },
  };
}

function wishes({ headers }: FastifyRequest, name: 'accept-encoding' | 'accept-language'): Negotiator {
  const said = String(headers[name] ?? '');
  return new Negotiator({ headers: { [name]: said.length > longestWish ? '' : said } });
}

/**
 * The language for a visitor whose URL has no language: the locale cookie, then the browser's
 * languages in their order, then English (specification, section 3).
 */
function detectLanguage(cookie: string | undefined, wanted: readonly string[]): LanguageCode {
  if (isLanguageCode(cookie)) return cookie;
  const match = wanted.map((tag) => tag.trim().toLowerCase().split(/[-_]/)[0]).find(isLanguageCode);
  return match ?? defaultLanguage;
}
