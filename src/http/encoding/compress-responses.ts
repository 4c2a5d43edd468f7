import { brotliCompress, brotliCompressSync, constants, gzip, gzipSync } from 'node:zlib';
import type { onSendHookHandler } from 'fastify';
import { openNegotiation } from './negotiation.ts';

/** Smaller texts fit into one packet anyway. */
const worthIt = 1400;
/**
 * Characters. Larger texts, such as the copy of an account, are compressed beside the main thread; these take at most
 * half a millisecond.
 */
const mostInline = 64 * 1024;
/** A higher quality takes three times as long and saves 1 %. */
const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: 3 } };
const deflate = { level: 4 };

/**
 * Returns an `onSend` hook that compresses what a signed-in user reads. It is not for responses with tokens: their
 * compressed length could reveal a secret beside text that an attacker chose (BREACH).
 */
export function openResponseCompression(): onSendHookHandler {
  const { wantedCoding } = openNegotiation();
  // biome-ignore lint/complexity/useMaxParams: Fastify passes `done` as the fourth
  return (request, reply, payload, done) => {
    if (typeof payload !== 'string' || payload.length < worthIt) return done(null, payload);
    reply.header('vary', 'Accept-Encoding');
    const coding = wantedCoding(request);
    if (!coding) return done(null, payload);
    reply.header('content-encoding', coding);
    if (payload.length <= mostInline)
      return done(null, coding === 'br' ? brotliCompressSync(payload, brotli) : gzipSync(payload, deflate));
    if (coding === 'br') brotliCompress(payload, brotli, done);
    else gzip(payload, deflate, done);
  };
}
