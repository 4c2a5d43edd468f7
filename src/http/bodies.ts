import type { FastifyInstance } from 'fastify';
import secureJson from 'secure-json-parse';
import { Failure } from '../contract/failures.ts';

/** How deep and how wide a JSON body may be: ours are flat, and parsers suffer from the opposite. */
const mostNesting = 8;
const mostSeparators = 500;

/** Reads JSON bodies and no others; an empty one counts as `{}`, since some calls have nothing to say. */
export function readBodies(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (_request, body, done) => {
    const text = String(body);
    if (text.trim() === '') return done(null, {});
    if (isExcessive(text)) return done(new Failure('malformed_request'));
    try {
      // `__proto__` and `constructor.prototype` vanish like every other field that no call knows.
      done(null, secureJson.parse(text, { protoAction: 'remove', constructorAction: 'remove' }));
    } catch {
      done(new Failure('malformed_request'));
    }
  });
}

function isExcessive(text: string): boolean {
  const structure = text.replace(/"(?:[^"\\]|\\.)*"/g, '');
  let depth = 0;
  let separators = 0;
  for (const character of structure) {
    if (character === '{' || character === '[') depth += 1;
    else if (character === '}' || character === ']') depth -= 1;
    else if (character === ',') separators += 1;
    if (depth > mostNesting || separators > mostSeparators) return true;
  }
  return false;
}
