import type { FastifyInstance, FastifyRequest } from 'fastify';
import secureJson from 'secure-json-parse';
import { Failure } from '../../contract/failures.ts';

/** Bytes of a request body. */
// mutation: large-bodies
export const bodyLimit = 16 * 1024;

/** How deep and how wide a JSON body may be: ours are flat, and parsers suffer from the opposite. */
const mostNesting = 8;
const mostSeparators = 500;

/** Reads JSON bodies and no others; an empty one counts as `{}`, since some requests have nothing to say. */
export function readBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    if (isEncoded(request)) return done(new Failure('unsupported_media_type'));
    const text = readUtf8(body as Buffer);
    if (text === undefined) return done(new Failure('malformed_request'));
    if (text.trim() === '') return done(null, {});
    // mutation: nesting-by-pattern
    if (isExcessive(text)) return done(new Failure('malformed_request'));
    const value = readJson(text);
    done(value === undefined ? new Failure('malformed_request') : null, value);
  });
}

/** Nothing is unpacked here: a few bytes could become many (RFC 9110, section 8.4). */
const isEncoded = ({ headers }: FastifyRequest): boolean =>
  !/^(?:identity)?$/i.test(headers['content-encoding']?.trim() ?? '');

/** Undefined where it is no JSON, or has half a character in it, which no store could keep as it is (RFC 8259, section 8.2). */
function readJson(text: string): unknown {
  try {
    // `__proto__` and `constructor.prototype` vanish like every other field that no endpoint knows.
    const value: unknown = secureJson.parse(text, { protoAction: 'remove', constructorAction: 'remove' });
    return text.includes('\\u') && hasHalves(value) ? undefined : value;
  } catch {
    return undefined;
  }
}

const hasHalves = (value: unknown): boolean =>
  typeof value === 'string'
    ? !value.isWellFormed()
    : typeof value === 'object' && value !== null && Object.entries(value).flat().some(hasHalves);

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Undefined where it is not UTF-8 (RFC 8259, section 8.1): nothing that somebody typed is replaced in silence. */
function readUtf8(bytes: Buffer): string | undefined {
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
}

const steps = { '{': 1, '[': 1, '}': -1, ']': -1 } as const;

/** One look at each character: a pattern that takes the strings out first would be slow for just the texts that are meant here. */
function isExcessive(text: string): boolean {
  let depth = 0;
  let separators = 0;
  let inString = false;
  for (let at = 0; at < text.length; at += 1) {
    const character = text[at];
    if (inString) {
      if (character === '\\') at += 1;
      else if (character === '"') inString = false;
      continue;
    }
    if (character === '"') inString = true;
    if (character === ',') separators += 1;
    depth += steps[character as keyof typeof steps] ?? 0;
    if (depth > mostNesting || separators > mostSeparators) return true;
  }
  return false;
}
