import { fstatSync, openSync, readSync, writeFileSync } from 'node:fs';
import { deserialize, serialize } from 'node:v8';
import type { Page } from '../../http/pages/page.ts';
import type { CompressedText } from '../../http/responses/compression.ts';
import { shareCopies } from '../../runtime/shared-copies.ts';

/** Where a text is in the file, in bytes: its distance from the end of the index, and its length. */
type Place = readonly [at: number, length: number];
type Places = Readonly<Record<keyof CompressedText, Place>>;
type IndexedPage = Omit<Page, 'html' | 'payload'> & { readonly html: Places; readonly payload: Places };

/** Bytes of texts that stay in memory: the pages that most users open. Those of all languages are 7 MB. */
const maxKept = 1024 * 1024;
/** The file begins with the length of its index, in bytes. */
const headLength = 4;

/** Writes the pages to one file: an index, then their texts. */
export function writePages(file: string, pages: readonly Page[]): void {
  const texts: Buffer[] = [];
  let end = 0;
  const place = (text: Buffer): Place => {
    texts.push(text);
    end += text.length;
    return [end - text.length, text.length];
  };
  const placed = ({ br, gzip }: CompressedText): Places => ({ br: place(br), gzip: place(gzip) });
  const index = serialize(pages.map((page) => ({ ...page, html: placed(page.html), payload: placed(page.payload) })));
  const head = Buffer.alloc(headLength);
  head.writeUInt32LE(index.length);
  // The caller renames it: a power cut must not leave a complete name with incomplete contents.
  writeFileSync(file, Buffer.concat([head, index, ...texts]), { flush: true });
}

/**
 * Opens the pages in a file, whose texts are read when they are requested. The file stays open, so that the pages outlive
 * its deletion. Throws if it is damaged or truncated.
 */
export function openPageFile(file: string): readonly Page[] {
  const descriptor = openSync(file, 'r');
  const read = (at: number, length: number): Buffer => {
    const bytes = Buffer.allocUnsafeSlow(length);
    // Synchronous on purpose: the operating system has the file in memory, and hashes occupy the thread pool in a flood.
    if (readSync(descriptor, bytes, 0, length, at) !== length) throw new Error(`${file} is incomplete`);
    return bytes;
  };
  const indexLength = read(0, headLength).readUInt32LE();
  const textOf = openCache(shareCopies(([at, length]: Place) => read(headLength + indexLength + at, length)));
  const textsOf = ({ br, gzip }: Places): CompressedText => ({
    get br() {
      return textOf(br);
    },
    get gzip() {
      return textOf(gzip);
    },
  });
  // Safe to deserialize: only this service writes to the folder.
  const index: readonly IndexedPage[] = deserialize(read(headLength, indexLength));
  const places = index.flatMap(({ html, payload }) => [html.br, html.gzip, payload.br, payload.gzip]);
  const end = places.reduce((furthest, [at, length]) => Math.max(furthest, at + length), 0);
  if (fstatSync(descriptor).size < headLength + indexLength + end) throw new Error(`${file} is incomplete`);
  return index.map((page) => ({ ...page, html: textsOf(page.html), payload: textsOf(page.payload) }));
}

/** Keeps the texts that were requested most recently. */
function openCache(read: (place: Place) => Buffer): (place: Place) => Buffer {
  const kept = new Map<Place, Buffer>();
  let bytes = 0;
  return (place) => {
    const text = kept.get(place) ?? read(place);
    // A Map keeps insertion order, so its first key is the one requested least recently.
    if (!kept.delete(place)) bytes += text.length;
    kept.set(place, text);
    for (const [oldest, { length }] of kept) {
      if (bytes <= maxKept) break;
      kept.delete(oldest);
      bytes -= length;
    }
    return text;
  };
}
