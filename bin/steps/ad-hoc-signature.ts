import { createHash } from 'node:crypto';

/** The identifier of the signature, as `codesign --display` shows it. */
const identifier = 'vestibule-agent';
const pageBytes = 4096;
const hashBytes = 32;
const codeSignature = 0x1d;
const segment64 = 0x19;

/**
 * Signs a Mach-O executable (64 bits, little endian) without a certificate, as Apple’s linker does: a Mac with Apple silicon
 * runs no program without a signature. It has no signature yet, and ends with the segment `__LINKEDIT` (mach-o/loader.h).
 * The structures of the signature are big endian (xnu, osfmk/kern/cs_blobs.h).
 */
export function signAdHoc(unsigned: Buffer): Buffer {
  const aligned = Buffer.alloc(Math.ceil(unsigned.length / 16) * 16);
  unsigned.copy(aligned);
  const { commands, end, text, linkEdit, firstSection } = layoutOf(aligned);
  if (end + 16 > firstSection) throw new Error('the Mach-O header has no room for the signature');
  const pages = Math.ceil(aligned.length / pageBytes);
  const name = Buffer.from(`${identifier}\0`);
  const directoryBytes = 88 + name.length + pages * hashBytes;
  const signatureBytes = 20 + directoryBytes;

  aligned.writeUInt32LE(commands + 1, 16);
  aligned.writeUInt32LE(end + 16 - 32, 20);
  for (const [index, word] of [codeSignature, 16, aligned.length, signatureBytes].entries())
    aligned.writeUInt32LE(word, end + 4 * index);
  const linked = aligned.length + signatureBytes - Number(aligned.readBigUInt64LE(linkEdit + 40));
  aligned.writeBigUInt64LE(BigInt(linked), linkEdit + 48);
  aligned.writeBigUInt64LE(BigInt(Math.ceil(linked / 0x4000) * 0x4000), linkEdit + 32);

  const signature = Buffer.alloc(signatureBytes);
  const words = (at: number, ...list: number[]) => {
    for (const [index, word] of list.entries()) signature.writeUInt32BE(word, at + 4 * index);
  };
  // A superblob with one code directory, version 0x20400: ad hoc, signed by the linker.
  words(0, 0xfade0cc0, signatureBytes, 1, 0, 20);
  words(20, 0xfade0c02, directoryBytes, 0x20400, 0x20002, 88 + name.length, 88, 0, pages, aligned.length);
  signature.set([hashBytes, 2, 0, Math.log2(pageBytes)], 56);
  signature.writeBigUInt64BE(aligned.readBigUInt64LE(text + 40), 84);
  signature.writeBigUInt64BE(aligned.readBigUInt64LE(text + 48), 92);
  // The segment is that of a main program.
  signature.writeBigUInt64BE(1n, 100);
  name.copy(signature, 108);
  for (let page = 0; page < pages; page += 1) {
    const bytes = aligned.subarray(page * pageBytes, (page + 1) * pageBytes);
    createHash('sha256')
      .update(bytes)
      .digest()
      .copy(signature, 108 + name.length + page * hashBytes);
  }
  return Buffer.concat([aligned, signature]);
}

/** The offsets of what a signature needs. */
function layoutOf(file: Buffer) {
  if (file.readUInt32LE(0) !== 0xfeedfacf) throw new Error('not a Mach-O file');
  const commands = file.readUInt32LE(16);
  const segments = new Map<string, number>();
  let end = 32;
  let firstSection = file.length;
  for (let index = 0; index < commands; index += 1) {
    const kind = file.readUInt32LE(end);
    if (kind === codeSignature) throw new Error('the program has a signature');
    if (kind === segment64) {
      segments.set(file.toString('latin1', end + 8, end + 24).replace(/\0+$/, ''), end);
      for (let section = 0; section < file.readUInt32LE(end + 64); section += 1) {
        const offset = file.readUInt32LE(end + 72 + 80 * section + 48);
        if (offset > 0) firstSection = Math.min(firstSection, offset);
      }
    }
    end += file.readUInt32LE(end + 4);
  }
  const [text, linkEdit] = [segments.get('__TEXT'), segments.get('__LINKEDIT')];
  if (text === undefined || linkEdit === undefined) throw new Error('the program lacks a segment');
  return { commands, end, text, linkEdit, firstSection };
}
