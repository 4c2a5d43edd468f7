import * as z from 'zod/mini';
import { hostsIn } from '../../store/postgres/hosts.ts';

/** Several hosts, separated by commas, serve one database: the one that accepts writes is used. */
export const databaseUrl = z.string().check(
  z.check(({ value, issues }) => {
    const message = problemOf(value);
    if (message !== undefined) issues.push({ code: 'custom', input: value, message });
  }),
);

function problemOf(url: string): string | undefined {
  if (!/^postgres(?:ql)?:\/\//i.test(url)) return 'must be a URL that begins with postgres:// or postgresql://';
  const sign = rawSign(url);
  if (sign) return `has a ${sign} in the user name or the password: write it as ${encodeURIComponent(sign)}`;
  if (!isDecodable(url)) return 'has a % that is not part of %XX: write a % as %25';
  const hosts = hostsIn(url);
  if (!hosts.every((one) => URL.canParse(one))) return 'has a host or port that is not one';
  return problemOfParameters(URL.parse(hosts[0] ?? url)?.searchParams ?? new URLSearchParams());
}

/** A sign before which `URL` ends the host, so that it parses `user:pass/word@host` wrongly or not at all. */
function rawSign(url: string): string | undefined {
  if (hostsIn(url).every((one) => URL.canParse(one))) return /^[a-z]+:\/\/[^/?#@:]+:\d+([/?#])[^@=]*@/i.exec(url)?.[1];
  return /^[a-z]+:\/\/[^@/?#]*([/?#])[^@]*@/i.exec(url)?.[1];
}

/** Bundlers remove a call of `decodeURI` whose result is unused. */
function isDecodable(text: string): boolean {
  try {
    return decodeURI(text) !== '';
  } catch {
    return false;
  }
}

const sslModes = ['disable', 'allow', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify'];
const sslSwitches = ['true', '1', '0'];

/** Those of libpq (PostgreSQL 18, section 32.1.2) and of node-postgres. */
const parameters = [
  ...['host', 'hostaddr', 'port', 'dbname', 'user', 'password', 'passfile', 'require_auth', 'channel_binding'],
  ...['connect_timeout', 'client_encoding', 'options', 'application_name', 'fallback_application_name'],
  ...['keepalives', 'keepalives_idle', 'keepalives_interval', 'keepalives_count', 'tcp_user_timeout'],
  ...['sslmode', 'sslnegotiation', 'sslcompression', 'sslcert', 'sslkey', 'sslpassword', 'sslcertmode', 'sslrootcert'],
  ...['sslcrl', 'sslcrldir', 'sslsni', 'ssl_min_protocol_version', 'ssl_max_protocol_version', 'requirepeer'],
  ...['gssencmode', 'krbsrvname', 'gsslib', 'gssdelegation', 'service', 'target_session_attrs', 'load_balance_hosts'],
  ...['min_protocol_version', 'max_protocol_version', 'ssl', 'uselibpqcompat', 'statement_timeout', 'lock_timeout'],
  ...['idle_in_transaction_session_timeout', 'query_timeout', 'keepAlive', 'keepAliveInitialDelayMillis'],
];

/** node-postgres ignores unknown parameters: after `ssl_mode=verify-full`, it would connect without TLS. */
function problemOfParameters(given: URLSearchParams): string | undefined {
  const names = [...given.keys()];
  const unknown = names.find((name) => !parameters.includes(name));
  if (unknown !== undefined) return `has an unknown parameter ${unknown}`;
  const twice = names.find((name, at) => names.indexOf(name) < at);
  if (twice !== undefined) return `has ${twice} twice`;
  const mode = given.get('sslmode');
  if (mode !== null && !sslModes.includes(mode))
    return `has sslmode=${mode}, which must be one of ${sslModes.join(', ')}`;
  const ssl = given.get('ssl');
  if (ssl !== null && !sslSwitches.includes(ssl)) return `has ssl=${ssl}: use sslmode=verify-full or sslmode=disable`;
  return undefined;
}
