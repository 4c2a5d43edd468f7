import { existsSync, readFileSync } from 'node:fs';
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
  if (!existsSync('.env')) return process.env;
  if (typeof util.parseEnv !== 'function') return undefined;
  return { ...util.parseEnv(readFileSync('.env', 'utf8').replace(/^\uFEFF/, '')), ...process.env };
}
