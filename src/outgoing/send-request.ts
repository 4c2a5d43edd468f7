import * as http from 'node:http';
import * as https from 'node:https';
import type { LookupFunction } from 'node:net';

export interface OutgoingRequest {
  readonly method: 'GET' | 'POST' | 'HEAD';
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | undefined;
  /** Limits the whole exchange, including a response that drips. */
  readonly signal: AbortSignal;
  /** Bytes of the response's body; 0 takes the status and closes the connection. */
  readonly longestBody: number;
  /** Finds the addresses of the host, instead of the system. */
  readonly lookup?: LookupFunction | undefined;
}

export interface OutgoingResponse {
  readonly status: number;
  readonly body: Buffer;
  /** Seconds of `Retry-After`, if the response has it in this form. */
  readonly retryAfter: number | undefined;
}

/** The request got no complete response. */
export class RequestFailed extends Error {
  /** The server may have received the request. */
  readonly mayHaveArrived: boolean;
  constructor(message: string, mayHaveArrived: boolean) {
    super(message);
    this.mayHaveArrived = mayHaveArrived;
  }
}

/**
 * Sends one request on its own connection, so that no connection pool retries it. Does not follow redirects, which
 * would carry secrets elsewhere: their body is not read. Throws `RequestFailed`.
 */
export function sendRequest({ url, method, headers, body, signal, longestBody, lookup }: OutgoingRequest) {
  const { request: open } = url.protocol === 'https:' ? https : http;
  return new Promise<OutgoingResponse>((resolve, reject) => {
    const request = open(url, {
      method,
      agent: false,
      signal,
      ...(lookup && { lookup }),
      headers: {
        'user-agent': 'Vestibule',
        // Without it, a server may compress its response (RFC 9110, section 12.5.3).
        'accept-encoding': 'identity',
        ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }),
        ...headers,
      },
    });
    let connected = false;
    const fail = (what: string) => {
      request.destroy();
      reject(new RequestFailed(signal.aborted ? 'no response in time' : what, connected));
    };
    request.on('socket', (socket) =>
      // With TLS, the request leaves only after the server's certificate is verified.
      socket.once(url.protocol === 'https:' ? 'secureConnect' : 'connect', () => {
        connected = true;
      }),
    );
    request.on('error', ({ code, name }: NodeJS.ErrnoException) =>
      fail(`${connected ? 'the connection or response broke off' : 'no connection'} (${code ?? name})`),
    );
    request.on('close', () => fail('the connection was closed'));
    request.on('response', (response) => {
      const { statusCode: status = 0, headers } = response;
      const retryAfter = Number(/^\d{1,9}$/.exec(headers['retry-after'] ?? '')?.[0]) || undefined;
      response.on('error', () => fail('the response broke off'));
      if (longestBody === 0 || (status >= 300 && status < 400)) {
        resolve({ status, body: Buffer.alloc(0), retryAfter });
        request.destroy();
        return;
      }
      const chunks: Buffer[] = [];
      let size = 0;
      response.on('data', (chunk: Buffer) => {
        size += chunk.length;
        chunks.push(chunk);
        if (size > longestBody) fail('the response is too long');
      });
      response.on('end', () => resolve({ status, body: Buffer.concat(chunks), retryAfter }));
    });
    request.end(body);
  });
}

/** Characters. */
const longestLine = 500;

/**
 * Makes another server's text safe for a log, a table and a terminal: one line of limited length, without control
 * characters that a terminal obeys or PostgreSQL rejects (the zero byte).
 */
export const toSingleLine = (said: string): string =>
  said
    .slice(0, longestLine)
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim();
