import { randomBytes } from 'node:crypto';
import { explain, openRequest } from './network.mjs';
import { readReadings } from './readings.mjs';
import { UserError } from './terminal.mjs';

export const version = '1.3.0';
export const platform =
  { darwin: 'macos', win32: 'windows' }[/** @type {string} */ (process.platform)] ?? process.platform;
export const second = 1000;
const responseTimeout = 20 * second;
/** More than any response of the service. */
const longestResponse = 1_000_000;
/** In seconds: a day, after which every limit of the service accepts requests again. A longer timer would end at once. */
const longestRetryAfter = 24 * 60 * 60;

/**
 * `status` 0 means no response, and `problem` why. `body` is unvalidated JSON, and `retryAfter` in milliseconds.
 * @typedef {{ status: number, code: string | undefined, body: any, retryAfter: number, problem: string }} Reply
 */

/**
 * Sends a request such as `POST /computers/heartbeat` to the origin `server`. Never throws.
 * @param {string} request
 * @param {{ server: string, token?: string, body?: object | undefined, timeout?: number | undefined }} parts
 * @returns {Promise<Reply>}
 */
export async function send(request, { server, token, body, timeout = responseTimeout }) {
  const [method = '', path = ''] = request.split(' ', 2);
  const url = new URL(path, server);
  try {
    const content = body && Buffer.from(JSON.stringify(body));
    const headers = {
      accept: 'application/json',
      'user-agent': `vestibule-agent/${version}`,
      ...(content && { 'content-type': 'application/json', 'content-length': String(content.length) }),
      ...(token && { authorization: `Bearer ${token}` }),
    };
    const { status, text, retryAfter, location } = await exchange(
      await openRequest(url, { method, headers, signal: AbortSignal.timeout(timeout) }),
      content,
    );
    const reply = parsed(text);
    const isPage = status === 200 && !text.startsWith('{');
    const problem = location
      ? `${url.host} redirects to ${location}: use that address as --server.`
      : isPage && `${url.host} does not respond as the service. Does this network want a sign-in first?`;
    return { status, code: reply.code, body: reply, retryAfter: retryAfter * second, problem: problem || '' };
  } catch (error) {
    return { status: 0, code: undefined, body: {}, retryAfter: 0, problem: explain(url, error) };
  }
}

/** @returns {any} */
function parsed(/** @type {string} */ text) {
  try {
    return JSON.parse(text) ?? {};
  } catch {
    return {};
  }
}

/**
 * @returns {Promise<{ status: number, text: string, retryAfter: number, location: string | undefined }>}
 */
const exchange = (
  /** @type {import('node:http').ClientRequest} */ request,
  /** @type {Buffer | undefined} */ content,
) =>
  new Promise((done, failed) => {
    request.on('error', failed).on('response', (response) => {
      let text = '';
      response
        .setEncoding('utf8')
        .on('data', (/** @type {string} */ part) => {
          text += part;
          if (text.length > longestResponse) request.destroy(new Error('the response is too long'));
        })
        .on('error', failed)
        .on('end', () =>
          done({
            status: response.statusCode ?? 0,
            text,
            retryAfter: Math.min(Number(response.headers['retry-after']) || 0, longestRetryAfter),
            location: response.headers.location,
          }),
        );
    });
    request.end(content);
  });

/** Distinguishes this run of the agent from one on a copy of this computer’s disk. */
const instance = randomBytes(12).toString('base64url');

/**
 * Why the agent stops. `returns_in` are the seconds in which it announces to be back.
 * @typedef {{ reason: 'shutdown' | 'restart' | 'update' | 'suspend' | 'stop', returns_in?: number }} Goodbye
 */

/**
 * Sends a heartbeat, which `status` does for a moment (no instance), and which may be the last one (a goodbye).
 * @param {{ server: string, token: string }} settings
 * @param {{ goodbye?: Goodbye, isRunning?: boolean, timeout?: number }} [parts]
 */
export const sendHeartbeat = ({ server, token }, { goodbye, isRunning = true, timeout } = {}) => {
  const body = {
    platform,
    version,
    ...(isRunning && { instance, readings: readReadings() }),
    ...(goodbye && { goodbye }),
  };
  return send('POST /computers/heartbeat', { server, token, body, timeout });
};

/** A 401 with Retry-After: the owner can still cancel the deletion of the account, and the token works again. */
export const isSuspended = (/** @type {Reply} */ { status, retryAfter }) => status === 401 && retryAfter > 0;

/** A 401 of the service itself, not of a proxy before it: the token is void for good. */
export const isRemoved = (/** @type {Reply} */ reply) =>
  reply.status === 401 && reply.code === 'not_signed_in' && !isSuspended(reply);

/** The origin of the service. Requires TLS for the token, except on this machine. */
export function readServer(/** @type {string | undefined} */ text = '') {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isHere = url !== undefined && ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
  if (!url || (url.protocol !== 'https:' && !(url.protocol === 'http:' && isHere)))
    throw new UserError('--server must be the address of the service, such as https://account.example.com');
  return url.origin;
}
