import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { signAdHoc } from './ad-hoc-signature.ts';

/** A Mach-O file with an empty `__TEXT` from its beginning, and `__LINKEDIT` to its end. */
function program(bytes: number): Buffer {
  const file = Buffer.alloc(bytes, 7).fill(0, 0, 4096);
  const segment = (at: number, name: string, { offset, size }: { offset: number; size: number }) => {
    file.writeUInt32LE(0x19, at);
    file.writeUInt32LE(72, at + 4);
    file.write(name, at + 8);
    file.writeBigUInt64LE(BigInt(offset), at + 40);
    file.writeBigUInt64LE(BigInt(size), at + 48);
  };
  file.writeUInt32LE(0xfeedfacf, 0);
  file.writeUInt32LE(2, 16);
  file.writeUInt32LE(144, 20);
  segment(32, '__TEXT', { offset: 0, size: 4096 });
  segment(104, '__LINKEDIT', { offset: 4096, size: bytes - 4096 });
  return file;
}

test('a signed Mach-O file ends with a code directory that has the hash of each page', () => {
  const signed = signAdHoc(program(10_001));
  expect([signed.readUInt32LE(16), signed.readUInt32LE(20), signed.readUInt32LE(176)]).toEqual([3, 160, 0x1d]);
  const [offset, size] = [signed.readUInt32LE(184), signed.readUInt32LE(188)];
  expect([offset % 16, offset + size]).toEqual([0, signed.length]);
  expect(Number(signed.readBigUInt64LE(104 + 40) + signed.readBigUInt64LE(104 + 48))).toBe(signed.length);
  const directory = signed.subarray(offset + signed.readUInt32BE(offset + 16));
  expect([directory.readUInt32BE(0), directory.readUInt32BE(32)]).toEqual([0xfade0c02, offset]);
  const hashes = directory.subarray(directory.readUInt32BE(16));
  const pages = Array.from({ length: 3 }, (_, page) =>
    signed.subarray(page * 4096, Math.min((page + 1) * 4096, offset)),
  );
  expect(hashes).toEqual(Buffer.concat(pages.map((page) => createHash('sha256').update(page).digest())));
});

test('a file that is signed, or is no Mach-O file, is refused', () => {
  expect(() => signAdHoc(signAdHoc(program(9000)))).toThrow('has a signature');
  expect(() => signAdHoc(Buffer.alloc(9000))).toThrow('not a Mach-O');
});
