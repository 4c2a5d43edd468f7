import { uploadChunkBytes } from '../constants.ts';

/**
 * A large body, sent as a stream of 64 KB chunks (specification, section 9) where that is possible: browsers
 * refuse request streams over HTTP/1.1, and some have none at all; there the body goes as it is.
 */
export function inChunks(text: string): RequestInit & { duplex?: 'half' } {
  const [page] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[];
  if (!('duplex' in Request.prototype) || !/^h[23]/.test(page?.nextHopProtocol ?? '')) return { body: text };
  return { body: chunks(new TextEncoder().encode(text)), duplex: 'half' };
}

/** The bytes, 64 KB at a time, each when the network asks for it. */
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
