import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Thrown where a scene needs software that this machine does not have. */
export class NotInstalled extends Error {}

const command = 'apt-get install libapache2-mod-auth-openidc python3-authlib oidc-agent-cli nginx caddy';

/** Paths of programs and files of Debian's packages, in the same order. Throws `NotInstalled` with one command. */
export function requireInstalled(...wanted: readonly string[]): string[] {
  const found = wanted.map((name) => candidates(name).find(exists));
  const missing = wanted.filter((_, at) => found[at] === undefined);
  if (missing.length > 0) throw new NotInstalled(`${missing.join(', ')}: not on this machine. ${command}`);
  return found as string[];
}

/** Servers are in folders that only the administrator's PATH contains. */
const candidates = (name: string): readonly string[] =>
  name.startsWith('/')
    ? [name]
    : [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/bin'].map((folder) => join(folder, name));

function exists(path: string): boolean {
  try {
    accessSync(path, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}
