import { createDecipheriv, createECDH, createPublicKey, hkdfSync, randomBytes, verify } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { onFileEnd } from './file-cleanup.ts';

/** A browser as far as a push service knows it, with the keys that only the browser has. */
export function newPushBrowser() {
  const keys = createECDH('prime256v1');
  const p256dh = keys.generateKeys();
  const auth = randomBytes(16);
  return {
    p256dh: p256dh.toString('base64url'),
    auth: auth.toString('base64url'),
    decrypt: (body: Buffer) => decryptPush(body, { privateKey: keys.getPrivateKey(), auth }),
  };
}

/** Decrypts what a browser gets (RFC 8291 and RFC 8188), written from these documents, apart from the code under test. */
export function decryptPush(body: Buffer, { privateKey, auth }: { privateKey: Buffer; auth: Buffer }): string {
  const own = createECDH('prime256v1');
  own.setPrivateKey(privateKey);
  const salt = body.subarray(0, 16);
  const recordSize = body.readUInt32BE(16);
  const keyLength = body.readUInt8(20);
  const sender = body.subarray(21, 21 + keyLength);
  const record = body.subarray(21 + keyLength);
  if (record.length > recordSize || record.length < 17) throw new Error('not one record');
  const info = Buffer.concat([Buffer.from('WebPush: info\0'), own.getPublicKey(), sender]);
  const input = Buffer.from(hkdfSync('sha256', own.computeSecret(sender), auth, info, 32));
  const key = Buffer.from(hkdfSync('sha256', input, salt, 'Content-Encoding: aes128gcm\0', 16));
  const nonce = Buffer.from(hkdfSync('sha256', input, salt, 'Content-Encoding: nonce\0', 12));
  const cipher = createDecipheriv('aes-128-gcm', key, nonce);
  cipher.setAuthTag(record.subarray(-16));
  const padded = Buffer.concat([cipher.update(record.subarray(0, -16)), cipher.final()]);
  const end = padded.lastIndexOf(2);
  if (end === -1 || padded.subarray(end + 1).some((byte) => byte !== 0)) throw new Error('no end of the last record');
  return padded.subarray(0, end).toString();
}

interface PushRequest {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** A push service that answers as a test says and checks what RFC 8030 and RFC 8292 require of each request. */
export async function openPushService(key: () => string) {
  const received: PushRequest[] = [];
  const complaints: string[] = [];
  let answer = { status: 201, headers: {}, said: '' };
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { headers, url: path = '' } = request;
    received.push({ path, headers, body: Buffer.concat(chunks) });
    const problem = problemOf(headers, { origin, key: key() });
    if (problem) complaints.push(problem);
    response.writeHead(problem ? 403 : answer.status, answer.headers).end(problem ?? answer.said);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  onFileEnd(() => new Promise<void>((resolve) => server.close(() => resolve())));
  return {
    origin,
    received,
    complaints,
    answer(status: number, said = '', more: Record<string, string> = {}) {
      answer = { status, said, headers: more };
    },
  };
}

/** Seconds: the longest life of a token (RFC 8292, section 2). */
const longestLife = 24 * 60 * 60;

function problemOf(headers: IncomingHttpHeaders, { origin, key }: { origin: string; key: string }): string | undefined {
  if (!/^\d+$/.test(String(headers.ttl))) return 'no TTL';
  if (headers['content-encoding'] !== 'aes128gcm') return 'no aes128gcm';
  if (!/^[\w-]{1,32}$/.test(String(headers.topic))) return 'no topic';
  const [, head = '', claims = '', signature = '', k = ''] =
    /^vapid t=([\w-]+)\.([\w-]+)\.([\w-]+), k=([\w-]+)$/.exec(headers.authorization ?? '') ?? [];
  if (k !== key) return 'another key than that of the subscription';
  const point = Buffer.from(k, 'base64url');
  const [x, y] = [point.subarray(1, 33), point.subarray(33)].map((half) => half.toString('base64url'));
  const publicKey = createPublicKey({
    key: { kty: 'EC', crv: 'P-256', x, y } as Record<string, string>,
    format: 'jwk',
  });
  const signed = Buffer.from(`${head}.${claims}`);
  const isSigned = verify(
    'sha256',
    signed,
    { key: publicKey, dsaEncoding: 'ieee-p1363' },
    Buffer.from(signature, 'base64url'),
  );
  if (!isSigned) return 'a wrong signature';
  const { aud, exp, sub } = JSON.parse(Buffer.from(claims, 'base64url').toString());
  if (aud !== origin) return `the audience ${aud}`;
  if (!(exp > Date.now() / 1000 && exp < Date.now() / 1000 + longestLife)) return `the expiry ${exp}`;
  return /^(?:https:\/\/|mailto:.+@)/.test(sub) ? undefined : `the subject ${sub}`;
}
