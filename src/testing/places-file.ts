import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

type Value = string | { readonly [key: string]: Value };

/** A node of the search tree, or a pointer to the data of all addresses below. */
type Branch = [Tree | undefined, Tree | undefined];
type Tree = Branch | { readonly data: number };

const marker = Buffer.from('\xab\xcd\xefMaxMind.com', 'latin1');
const separatorSize = 16;

/** Encodes a map (type 7) or a string (type 2) with its control byte; supports up to 284 bytes or entries. */
function encode(value: Value): Buffer {
  if (typeof value === 'string') {
    const text = Buffer.from(value);
    return Buffer.concat([control(2, text.length), text]);
  }
  const entries = Object.entries(value);
  return Buffer.concat([
    control(7, entries.length),
    ...entries.flatMap(([key, inner]) => [encode(key), encode(inner)]),
  ]);
}

const control = (type: number, size: number): Buffer =>
  size < 29 ? Buffer.from([(type << 5) | size]) : Buffer.from([(type << 5) | 29, size - 29]);

function number(type: 5 | 6, value: number): Buffer {
  const bytes = Buffer.alloc(type === 5 ? 2 : 4);
  bytes.writeUIntBE(value, 0, bytes.length);
  return Buffer.concat([control(type, bytes.length), bytes]);
}

/** IPv4 addresses are the first of the IPv6 ones. Supports IPv6 networks only in the form that ends with `::`. */
function bitsOf(network: string): string {
  const [address = '', length = ''] = network.split('/');
  const isShort = address.includes('.');
  const bits = isShort
    ? '0'.repeat(96) +
      address
        .split('.')
        .map((part) => Number(part).toString(2).padStart(8, '0'))
        .join('')
    : address
        .split(':')
        .filter(Boolean)
        .map((part) => Number.parseInt(part, 16).toString(2).padStart(16, '0'))
        .join('')
        .padEnd(128, '0');
  return bits.slice(0, Number(length) + (isShort ? 96 : 0));
}

function plant(root: Branch, bits: string, data: number): void {
  let node = root;
  for (const bit of bits.slice(0, -1)) {
    const side = Number(bit) as 0 | 1;
    const next = node[side];
    const below: Branch = Array.isArray(next) ? next : [undefined, undefined];
    node[side] = below;
    node = below;
  }
  node[Number(bits.at(-1)) as 0 | 1] = { data };
}

/** Writes a database in the MaxMind DB format 2.0 with 32-bit records: a value per network. Removed after the test. */
export async function writePlacesFile(networks: Readonly<Record<string, Value>>): Promise<string> {
  const root: Branch = [undefined, undefined];
  const data: Buffer[] = [];
  let size = 0;
  for (const [network, value] of Object.entries(networks)) {
    plant(root, bitsOf(network), size);
    const encoded = encode(value);
    data.push(encoded);
    size += encoded.length;
  }
  const nodes: Branch[] = [];
  const numbers = new Map<Branch, number>();
  const visit = (node: Branch): void => {
    numbers.set(node, nodes.length);
    nodes.push(node);
    for (const side of node) if (Array.isArray(side)) visit(side);
  };
  visit(root);
  const pointer = (side: Tree | undefined): number => {
    if (side === undefined) return nodes.length;
    return Array.isArray(side) ? (numbers.get(side) ?? 0) : nodes.length + separatorSize + side.data;
  };
  const tree = Buffer.alloc(nodes.length * 8);
  for (const [place, [left, right]] of nodes.entries()) {
    tree.writeUInt32BE(pointer(left), place * 8);
    tree.writeUInt32BE(pointer(right), place * 8 + 4);
  }
  const about: [string, Buffer][] = [
    ['binary_format_major_version', number(5, 2)],
    ['binary_format_minor_version', number(5, 0)],
    ['database_type', encode('Test')],
    ['ip_version', number(5, 6)],
    ['node_count', number(6, nodes.length)],
    ['record_size', number(5, 32)],
  ];
  const metadata = [control(7, about.length), ...about.flatMap(([key, value]) => [encode(key), value])];
  const folder = await mkdtemp(join(tmpdir(), 'vestibule-places-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'places.mmdb');
  await writeFile(file, Buffer.concat([tree, Buffer.alloc(separatorSize), ...data, marker, ...metadata]));
  return file;
}
