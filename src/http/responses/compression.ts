import { brotliCompress, brotliCompressSync, constants, gunzipSync, gzip, gzipSync } from 'node:zlib';
import type { FastifyRequest, onSendHookHandler } from 'fastify';
import { sha256 } from '../../security/macs.ts';
import { openNegotiation } from './negotiation.ts';

/** A text in the encodings that browsers accept. */
export interface CompressedText {
  readonly br: Buffer;
  readonly gzip: Buffer;
}

/** The highest quality saves 11 % and takes six times as long: 25 ms for a page, of which there are hundreds. */
const brotliQuality = { usual: 7, best: 11 };

/** Compresses the HTML of a page in `pages.ts`: as small as possible for the one that most users see first. */
export const compressHtml = ({ page, html }: { readonly page: string; readonly html: string }): CompressedText =>
  compress(html, page === 'sign-in' ? 'best' : 'usual');

/** Compresses a text in both encodings. */
export function compress(text: string, quality: keyof typeof brotliQuality = 'usual'): CompressedText {
  const bytes = Buffer.from(text);
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: brotliQuality[quality],
    [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length,
  };
  return { br: brotliCompressSync(bytes, { params }), gzip: gzipSync(bytes, { level: 9 }) };
}

/** The uncompressed text, unpacked on demand: nearly all browsers accept a compressed one. */
export const decompress = ({ gzip }: CompressedText): Buffer => gunzipSync(gzip);

/** Smaller texts fit into one packet anyway. */
const worthIt = 1400;
/**
 * Characters. Larger texts, such as the copy of an account, are compressed beside the main thread; these take at most
 * half a millisecond.
 */
const maxInline = 64 * 1024;
/** A higher quality takes three times as long and saves 1 %. */
const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: 3 } };
const deflate = { level: 4 };

/**
 * Returns an `onSend` hook that compresses what a signed-in user reads. It is not for responses with tokens: their
 * compressed length could reveal a secret beside text that an attacker chose (BREACH).
 */
export function openResponseCompression(): onSendHookHandler {
  const { wantedCoding } = openNegotiation();
  return (request, reply, payload, done) => {
    if (typeof payload !== 'string' || payload.length < worthIt) return done(null, payload);
    reply.header('vary', 'Accept-Encoding');
    const coding = wantedCoding(request);
    if (!coding) return done(null, payload);
    reply.header('content-encoding', coding);
    if (payload.length <= maxInline)
      return done(null, coding === 'br' ? brotliCompressSync(payload, brotli) : gzipSync(payload, deflate));
    if (coding === 'br') brotliCompress(payload, brotli, done);
    else gzip(payload, deflate, done);
  };
}

/** Weak, because the same text is sent in several encodings (RFC 9110, section 8.8.1). */
export const tagOf = (content: Buffer | string): string => `W/"${sha256(content).slice(0, 22)}"`;

/** Whether the browser already has this version, by weak comparison (RFC 9110, section 13.1.2). */
export const isKnown = ({ headers }: FastifyRequest, tag: string): boolean =>
  (headers['if-none-match'] ?? '').split(',').some((known) => ['*', tag, tag.slice(2)].includes(known.trim()));
