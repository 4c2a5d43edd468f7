import { hostname } from 'node:os';
import type * as z from 'zod/mini';
import { SettingsError } from '../../contract/settings.ts';
import { type ClientEntry, clientEntry, type SyncedClients, syncClients } from '../../operations/clients.ts';
import { readSettingsFile } from '../../runtime/settings-file.ts';
import type { Store } from '../../store/database.ts';

/**
 * Reads CLIENTS_FILE: a JSON array of clients. Throws a `SettingsError` that names every invalid entry and what is wrong
 * with it.
 */
export function readClientsFile(file: string): readonly ClientEntry[] {
  const written = readSettingsFile('CLIENTS_FILE', file);
  if (!Array.isArray(written)) throw new SettingsError(`CLIENTS_FILE: ${file} must be a JSON array of clients`);
  const problems: string[] = [];
  const seen = new Set<string>();
  const entries = written.flatMap((one, at) => {
    const { data, error } = clientEntry.safeParse(one);
    const named = typeof one?.client_id === 'string' ? JSON.stringify(one.client_id) : `entry ${at + 1}`;
    for (const issue of error?.issues ?? []) problems.push(`CLIENTS_FILE: ${named}: ${problemOf(issue)}`);
    if (data && !data.public && data.client_secrets.length === 0)
      problems.push(`CLIENTS_FILE: ${named}: client_secrets: must have a secret, unless the client is public`);
    if (data && seen.has(data.client_id)) problems.push(`CLIENTS_FILE: ${named}: is in the file twice`);
    if (data) seen.add(data.client_id);
    return data ? [data] : [];
  });
  if (problems.length > 0) throw new SettingsError(problems);
  return entries;
}

/** An issue with the field that it is in, or the keys that no field has. */
function problemOf(issue: z.core.$ZodIssue): string {
  if (issue.code === 'unrecognized_keys') return `unknown: ${issue.keys.join(', ')}`;
  return issue.path.length > 0 ? `${issue.path.join('.')}: ${issue.message}` : issue.message;
}

interface Loading {
  readonly store: Store;
  readonly file: string;
  readonly now: number;
}

/** Reads CLIENTS_FILE and stores its clients. Throws a `SettingsError`, and changes nothing, if an entry is invalid. */
export const loadClientsFile = ({ store, file, now }: Loading): Promise<SyncedClients> =>
  syncClients(
    { store, now, operator: { kind: 'service', actor: 'CLIENTS_FILE', origin: hostname(), reason: undefined } },
    readClientsFile(file),
  );
