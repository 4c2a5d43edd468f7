import { days } from '../contract/units.ts';
import { runJobs } from '../operations/jobs.ts';
import { addOperatorKey } from '../operations/operators.ts';
import { openSecrets } from '../server/keys/stored-keys.ts';
import { accountParts } from '../server/wings.ts';
import { openClient } from './client.ts';
import type { TestServer } from './test-server.ts';

const operator = { kind: 'command', actor: 'root', origin: 'host', reason: undefined } as const;

/** The arguments of an operator’s decision, by a command. */
export const operationIn = ({ store, now }: TestServer) => ({ store, parts: accountParts, operator, now: now() });

/** What a regular job does. */
export const runAllJobs = (server: TestServer) =>
  runJobs({ ...server, parts: accountParts, secrets: openSecrets(server.config), keyring: {} as never }, (error) => {
    throw error;
  });

/** A program with a new key. */
export async function addProgram(server: TestServer, role: 'viewer' | 'support', addresses: readonly string[] = []) {
  const expiresAt = server.now() + days(30);
  const { id, key } = await addOperatorKey(operationIn(server), { name: role, role, addresses, expiresAt });
  return { id, client: Object.assign(openClient(server.url), { token: key }) };
}
