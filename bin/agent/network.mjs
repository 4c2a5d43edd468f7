import { readFileSync } from 'node:fs';
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import { resolve } from 'node:path';
import { default as tls } from 'node:tls';
import { networkFile, readJson, writeWhole } from './data-folder.mjs';
import { options, systemError, UserError } from './terminal.mjs';

/** As curl reads them: each also in capitals. */
const proxyVariables = ['https_proxy', 'http_proxy', 'all_proxy', 'no_proxy'];
const known = readJson(networkFile);

/** A variable of this process, or what it was when the agent was installed. */
const variable = (/** @type {string} */ name) =>
  process.env[name] ?? process.env[name.toUpperCase()] ?? known[name] ?? '';

/** Keeps the proxies and the certificate authority for the service, whose environment does not have them. */
export function keepNetwork() {
  const file = options.ca ?? process.env.NODE_EXTRA_CA_CERTS;
  const authority = file && { ca: readAuthority(resolve(file)) };
  const proxies = proxyVariables.filter((name) => variable(name) !== '').map((name) => [name, variable(name)]);
  const next = { ...(known.ca && { ca: known.ca }), ...authority, ...Object.fromEntries(proxies) };
  if (JSON.stringify(next) !== JSON.stringify(known)) writeWhole(networkFile, JSON.stringify(next));
  Object.assign(known, next);
}

function readAuthority(/** @type {string} */ file) {
  try {
    const text = readFileSync(file, 'utf8');
    if (text.includes('-----BEGIN CERTIFICATE-----')) return text;
  } catch (error) {
    throw new UserError(`The certificate ${file} cannot be read (${systemError(error)}).`, { cause: error });
  }
  throw new UserError(`${file} contains no certificate in PEM format (“-----BEGIN CERTIFICATE-----”).`);
}

/** @type {tls.SecureContext | undefined} */
let trust;

/** Whom this computer trusts: Node’s authorities, those of the system if Node can read them, and the kept one. */
function trusted() {
  // Missing before Node 22.15.
  const ofSystem = tls.getCACertificates?.('system') ?? [];
  trust ??= tls.createSecureContext({ ca: [...tls.rootCertificates, ...ofSystem, ...(known.ca ? [known.ca] : [])] });
  // Missing in the types of `request`, which passes it on to `connect` of node:tls.
  return /** @type {{ secureContext?: object, cert?: string }} */ ({ secureContext: trust });
}

/** @returns {URL | undefined} The proxy for an address. */
function proxyFor(/** @type {URL} */ { protocol, hostname, port }) {
  const text = variable(protocol === 'https:' ? 'https_proxy' : 'http_proxy') || variable('all_proxy');
  if (text === '' || isDirect(hostname, port || (protocol === 'https:' ? '443' : '80'))) return undefined;
  const address = text.includes('://') ? text : `http://${text}`;
  if (!URL.canParse(address) || !/^https?:/.test(address))
    throw new UserError(`The proxy ${text} is not an address such as http://proxy.example.com:3128`);
  return new URL(address);
}

const isDirect = (/** @type {string} */ host, /** @type {string} */ port) =>
  variable('no_proxy')
    .split(/[\s,]+/)
    .filter((/** @type {string} */ entry) => entry !== '')
    .some((/** @type {string} */ entry) => {
      const name = entry.replace(/^\*?\./, '').toLowerCase();
      return name === '*' || [host, `${host}:${port}`].some((own) => own === name || own.endsWith(`.${name}`));
    });

const authorization = (/** @type {URL} */ { username, password }) =>
  username === ''
    ? {}
    : {
        'proxy-authorization': `Basic ${Buffer.from(`${decodeURIComponent(username)}:${decodeURIComponent(password)}`).toString('base64')}`,
      };

const nameOf = (/** @type {URL} */ { hostname }) => hostname.replace(/^\[|\]$/g, '');

/**
 * Opens a request, through the proxy if there is one. Rejects with a `ProxyError` if that refuses.
 * @param {URL} url
 * @param {{ method: string, headers: Record<string, string>, signal: AbortSignal }} parts
 * @returns {Promise<import('node:http').ClientRequest>}
 */
export async function openRequest(url, parts) {
  const proxy = proxyFor(url);
  if (url.protocol === 'http:') {
    if (!proxy) return requestHttp(url, { ...parts, agent: false });
    const headers = { ...parts.headers, host: url.host, ...authorization(proxy) };
    return toProxy(proxy)({ ...placeOf(proxy), ...parts, path: url.href, headers });
  }
  if (!proxy) return requestHttps(url, { ...parts, agent: false, ...trusted() });
  const socket = await openTunnel(proxy, url, parts.signal);
  const servername = nameOf(url);
  const createConnection = () => tls.connect(/** @type {any} */ ({ socket, servername, ...trusted() }));
  return requestHttps(url, { ...parts, createConnection });
}

/** The proxy answered, and refused. */
class ProxyError extends Error {}

const toProxy = (/** @type {URL} */ { protocol }) => (protocol === 'https:' ? requestHttps : requestHttp);

const placeOf = (/** @type {URL} */ proxy) => ({
  agent: /** @type {const} */ (false),
  host: nameOf(proxy),
  port: proxy.port || (proxy.protocol === 'https:' ? 443 : 80),
  ...(proxy.protocol === 'https:' && trusted()),
});

/** @returns {Promise<import('node:net').Socket>} A connection to the service through a proxy (RFC 9110, section 9.3.6). */
const openTunnel = (/** @type {URL} */ proxy, /** @type {URL} */ url, /** @type {AbortSignal} */ signal) =>
  new Promise((done, failed) => {
    const host = `${url.hostname}:${url.port || 443}`;
    const headers = { host, ...authorization(proxy) };
    toProxy(proxy)({ ...placeOf(proxy), signal, method: 'CONNECT', path: host, headers })
      .on('connect', ({ statusCode = 0 }, socket) => {
        if (statusCode === 200) return done(/** @type {import('node:net').Socket} */ (socket));
        socket.destroy();
        failed(new ProxyError(`${statusCode}`));
      })
      .on('error', failed)
      .end();
  });

const times = 'Check the date and time of this computer, too.';

/** @type {Record<string, (host: string, code: string) => string>} */
const causes = {
  ENOTFOUND: (host) => `The name ${host} was not found: check the address, and the DNS server of this computer.`,
  EAI_AGAIN: (host) => `The name ${host} cannot be looked up: no DNS server responds.`,
  CERT_HAS_EXPIRED: (host) => `The certificate of ${host} has expired. ${times}`,
  CERT_NOT_YET_VALID: (host) => `The certificate of ${host} is not valid yet. ${times}`,
  ERR_TLS_CERT_ALTNAME_INVALID: (host) => `The certificate of ${host} is for another name.`,
  ERR_SSL_WRONG_VERSION_NUMBER: (host) => `${host} does not speak TLS on this port: check the address.`,
  EPROTO: (host) => `${host} does not speak TLS on this port: check the address.`,
  ECONNREFUSED: (host) => `${host} does not respond: it refuses connections.`,
  ECONNRESET: (host) => `${host} does not respond: it closed the connection.`,
  ENETUNREACH: (host) => `${host} does not respond: this computer has no network.`,
  EHOSTUNREACH: (host) => `${host} does not respond: no route leads there.`,
};
const untrusted = /SELF_SIGNED|UNABLE_TO_(?:VERIFY|GET_ISSUER)|CERT_UNTRUSTED|INVALID_CA/;

/** Why a request got no response, as a sentence. */
export function explain(/** @type {URL} */ url, /** @type {any} */ error) {
  if (error instanceof UserError) return error.message;
  const proxy = proxyFor(url);
  if (error instanceof ProxyError)
    return error.message === '407'
      ? `The proxy ${proxy?.host} asks for a name and a password: HTTPS_PROXY=http://NAME:PASSWORD@${proxy?.host}`
      : `The proxy ${proxy?.host} refused to connect to ${url.host} (${error.message}).`;
  // Node tries each address of a name; the first failure explains the rest.
  const first = error?.errors?.[0] ?? error;
  const code = systemError(first);
  const host =
    proxy && /^(?:E[A-Z]+|EAI_AGAIN)$/.test(code) && code !== 'EPROTO' ? `the proxy ${proxy.host}` : url.host;
  if (untrusted.test(code))
    return `The certificate of ${url.host} is not trusted (${code}). If a private authority issued it, name its certificate: --ca FILE`;
  const words =
    causes[code]?.(host, code) ??
    `${host} does not respond (${first?.name === 'AbortError' || first?.name === 'TimeoutError' ? 'no answer in time' : code}).`;
  return words.replace(/^the/, 'The');
}
