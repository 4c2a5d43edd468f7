import { createSocket, type RemoteInfo } from 'node:dgram';
import type { AddressInfo } from 'node:net';
import { onTestFinished } from 'vitest';

/** Records by name: TXT texts, and MX hosts. */
export type Zone = Readonly<Record<string, { readonly txt?: readonly string[]; readonly mx?: readonly string[] }>>;

const types = { mx: 15, txt: 16 };

/**
 * A name server on this machine (RFC 1035), until the test ends. Only the names in `zone` exist. Returns its address.
 */
export async function startDnsServer(zone: Zone): Promise<string> {
  const server = createSocket('udp4');
  server.on('message', (query: Buffer, from: RemoteInfo) => server.send(respond(query, zone), from.port, from.address));
  await new Promise<void>((resolve) => server.bind(0, '127.0.0.1', resolve));
  onTestFinished(() => new Promise<void>((resolve) => server.close(() => resolve())));
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

function respond(query: Buffer, zone: Zone): Buffer {
  const { name, type, end } = question(query);
  const known = zone[name.toLowerCase()];
  const data =
    type === types.txt
      ? (known?.txt ?? []).map(asTxt)
      : (type === types.mx ? (known?.mx ?? []) : []).map((host) => Buffer.concat([Buffer.from([0, 10]), asName(host)]));
  const head = Buffer.alloc(12);
  query.copy(head, 0, 0, 2);
  // An authoritative response; 3 (NXDOMAIN) means that the name does not exist.
  head.writeUInt16BE(0x8580 | (known ? 0 : 3), 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(data.length, 6);
  return Buffer.concat([head, query.subarray(12, end), ...data.map((one) => record(type, one))]);
}

function question(query: Buffer): { name: string; type: number; end: number } {
  const labels: string[] = [];
  let at = 12;
  while (query.readUInt8(at) > 0) {
    const length = query.readUInt8(at);
    labels.push(query.toString('ascii', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.'), type: query.readUInt16BE(at + 1), end: at + 5 };
}

/** A record for the name in the question, with a TTL of one minute. */
function record(type: number, data: Buffer): Buffer {
  const head = Buffer.alloc(12);
  head.writeUInt16BE(0xc00c, 0);
  head.writeUInt16BE(type, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt32BE(60, 6);
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, data]);
}

const withLength = (text: string): Buffer => Buffer.concat([Buffer.from([text.length]), Buffer.from(text, 'ascii')]);
const asName = (name: string): Buffer =>
  Buffer.concat([...name.split('.').filter(Boolean).map(withLength), Buffer.from([0])]);
/** Splits the text into parts of at most 255 bytes. */
const asTxt = (text: string): Buffer => Buffer.concat((text.match(/.{1,255}/g) ?? ['']).map(withLength));
