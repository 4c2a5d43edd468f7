import { UserError } from './terminal.mjs';

const version = '1.0.0';
export const platform =
  { darwin: 'macos', win32: 'windows' }[/** @type {string} */ (process.platform)] ?? process.platform;
export const second = 1000;
const responseTimeout = 20 * second;

/**
 * `status` 0 means no response. `body` is unvalidated JSON, and `retryAfter` in milliseconds.
 * @typedef {{ status: number, code: string | undefined, body: any, retryAfter: number }} Reply
 */

/**
 * Sends a request such as `POST /computers/heartbeat` to the origin `server`. Never throws.
 * @param {string} request
 * @param {{ server: string, token?: string, body?: object }} parts
 * @returns {Promise<Reply>}
 */
export async function send(request, { server, token, body }) {
  const [method = '', path = ''] = request.split(' ', 2);
  try {
    const response = await fetch(server + path, {
      method,
      signal: AbortSignal.timeout(responseTimeout),
      headers: {
        'user-agent': `vestibule-agent/${version}`,
        ...(body && { 'content-type': 'application/json' }),
        ...(token && { authorization: `Bearer ${token}` }),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
    const content = /** @type {any} */ (await response.json().catch(() => ({})));
    const retryAfter = Number(response.headers.get('retry-after') ?? 0) * second;
    return { status: response.status, code: content.code, body: content, retryAfter };
  } catch {
    return { status: 0, code: undefined, body: {}, retryAfter: 0 };
  }
}

export const sendHeartbeat = (/** @type {{ server: string, token: string }} */ { server, token }) =>
  send('POST /computers/heartbeat', { server, token, body: { platform, version } });

/** A 401 with Retry-After: the owner can still cancel the deletion of the account, and the token works again. */
export const isSuspended = (/** @type {Reply} */ { status, retryAfter }) => status === 401 && retryAfter > 0;

/** The origin of the service. Requires TLS for the token, except on this machine. */
export function readServer(/** @type {string | undefined} */ text = '') {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isHere = url !== undefined && ['localhost', '127.0.0.1', '[::1]'].includes(url.hostname);
  if (!url || (url.protocol !== 'https:' && !(url.protocol === 'http:' && isHere)))
    throw new UserError('--server must be the address of the service, such as https://account.example.com');
  return url.origin;
}
