import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import * as util from 'node:util';

/** @typedef {Readonly<Record<string, string | undefined>>} Environment */

/**
 * The settings without which the service does not start in production. Checked before an install and a build that take
 * minutes; the service itself checks everything else (`src/server/settings/config.ts`).
 * @param {Environment} environment
 */
export function missingSettings(environment) {
  const has = (/** @type {string} */ name) => Boolean(environment[name]?.trim());
  if (environment.NODE_ENV?.trim() !== 'production') return [];
  const required = [
    'SMTP_URL',
    ...(environment.PHONE_CONFIRMATION?.trim() === 'off' ? [] : ['CALL_PROVIDERS']),
    ...(has('DATABASE_URL') ? ['SECRET_KEY'] : []),
    'PUBLIC_URL',
  ];
  return required.filter((name) => !has(name));
}

/** Throws an error that names the missing settings of a service in this folder. */
export function requireSettings() {
  const environment = readEnvironment();
  const missing = environment ? missingSettings(environment) : [];
  if (missing.length === 0) return;
  throw new Error(`Vestibule cannot start in production without ${missing.join(', ')} (docs/install.md).`);
}

/** The environment as the service reads it; undefined if this Node cannot parse the file `.env`. */
function readEnvironment() {
  const file = readSettingsFile('');
  return file && { ...file, ...process.env };
}

/**
 * The settings in the file `.env` of a folder; undefined if this Node cannot parse it.
 * @param {string} folder
 */
function readSettingsFile(folder) {
  const file = join(folder, '.env');
  if (!existsSync(file)) return {};
  if (typeof util.parseEnv !== 'function') return undefined;
  return util.parseEnv(readFileSync(file, 'utf8').replace(/^\uFEFF/, ''));
}

/** What Node, OpenSSL and the C library read when the process starts, before the service reads its settings. */
const readAtStart =
  /^(?:(?:NODE|SSL_CERT|OPENSSL|UV|MALLOC|LD|LC)_\w+|GLIBC_TUNABLES|TZ|LANG|NO_COLOR|FORCE_COLOR|(?:HTTPS?|ALL|NO)_PROXY)$/i;

/**
 * Those variables in the file `.env` of a folder, such as `NODE_EXTRA_CA_CERTS`: a process that starts with them honors them.
 * The others stay out of the environment, which child processes inherit and other programs of this user can read.
 * @param {string} folder
 */
export function startVariables(folder) {
  try {
    const given = Object.entries(readSettingsFile(folder) ?? {});
    return Object.fromEntries(given.filter(([name, value]) => readAtStart.test(name) && !value?.includes('\0')));
  } catch {
    // The program itself reports an unreadable file.
    return {};
  }
}
