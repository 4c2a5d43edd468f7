import { uploadChunkBytes } from '../constants.ts';

/**
 * Streams a large body in chunks of 64 KB (specification, section 9). Sends it whole over HTTP/1.1, where browsers
 * refuse request streams, and in browsers without request streams.
 */
export function inChunks(text: string): RequestInit & { duplex?: 'half' } {
  const [page] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
  if (!('duplex' in Request.prototype) || !/^h[23]/.test(page?.nextHopProtocol ?? '')) return { body: text };
  return { body: chunks(new TextEncoder().encode(text)), duplex: 'half' };
}

/** The bytes as a stream of 64 KB chunks with backpressure. */
export function chunks(bytes: Uint8Array): ReadableStream<Uint8Array> {
  let at = 0;
  return new ReadableStream({
    pull(stream) {
      stream.enqueue(bytes.subarray(at, at + uploadChunkBytes));
      at += uploadChunkBytes;
      if (at >= bytes.length) stream.close();
    },
  });
}
