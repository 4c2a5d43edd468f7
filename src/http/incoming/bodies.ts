import type { FastifyInstance, FastifyRequest } from 'fastify';
import secureJson from 'secure-json-parse';
import { Failure } from '../../contract/failures.ts';

/** The largest request body of most endpoints, in bytes. */
export const bodyLimit = 16 * 1024;

/** Limits for the depth and width of a JSON body: ours are flat, and nested ones are expensive to parse. */
const maxNesting = 8;
const bytesPerSeparator = 32;

/** Accepts only JSON bodies; an empty body counts as `{}`, because some requests have no fields. */
export function readBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    if (isEncoded(request)) return done(new Failure('unsupported_media_type'));
    const text = readUtf8(body as Buffer);
    if (text === undefined) return done(new Failure('malformed_request'));
    if (text.trim() === '') return done(null, {});
    const limit = request.routeOptions.config.endpoint?.bodyLimit ?? bodyLimit;
    if (isExcessive(text, limit / bytesPerSeparator)) return done(new Failure('malformed_request'));
    const value = readJson(text);
    const isReport = request.routeOptions.config.endpoint?.from === 'computer';
    // No store can keep a half of a character (RFC 8259, section 8.2). Contracts of computers repair or refuse each field.
    if (!isReport && text.includes('\\u') && hasHalves(value)) return done(new Failure('malformed_request'));
    done(value === undefined ? new Failure('malformed_request') : null, value);
  });
}

/** Encoded bodies (RFC 9110, section 8.4) are refused: a few bytes could expand to many. */
const isEncoded = ({ headers }: FastifyRequest): boolean =>
  !/^(?:identity)?$/i.test(headers['content-encoding']?.trim() ?? '');

/** Undefined if the text is not JSON. */
function readJson(text: string): unknown {
  try {
    // `__proto__` and `constructor.prototype` are dropped, like every field that no endpoint declares.
    return secureJson.parse(text, { protoAction: 'remove', constructorAction: 'remove' });
  } catch {
    return undefined;
  }
}

const hasHalves = (value: unknown): boolean =>
  typeof value === 'string'
    ? !value.isWellFormed()
    : typeof value === 'object' && value !== null && Object.entries(value).flat().some(hasHalves);

const utf8 = new TextDecoder('utf-8', { fatal: true });

/** Undefined if the bytes are not UTF-8 (RFC 8259, section 8.1): a user's input is never silently replaced. */
function readUtf8(bytes: Buffer): string | undefined {
  try {
    return utf8.decode(bytes);
  } catch {
    return undefined;
  }
}

const steps = { '{': 1, '[': 1, '}': -1, ']': -1 } as const;

/** Reads each character once: a pattern that first removes strings would be slow on exactly the texts to refuse. */
function isExcessive(text: string, maxSeparators: number): boolean {
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
    if (depth > maxNesting || separators > maxSeparators) return true;
  }
  return false;
}
