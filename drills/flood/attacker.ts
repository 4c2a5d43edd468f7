// Floods a service from a separate process, so that it does not slow down the observer. Runs until it is killed.

import { csrfCookie } from '../../src/contract/cookies.ts';
import { openClient } from '../../src/testing/client.ts';

export interface Assault {
  readonly url: string;
  readonly connections: number;
  readonly sources: number;
  /** Repeats correct sign-ins of this account and known device; without it, sends wrong passwords for many accounts. */
  readonly known?: { readonly email: string; readonly password: string; readonly cookies: [string, string][] };
}

const { url, connections, sources, known }: Assault = JSON.parse(process.argv[2] ?? '');
const visitor = openClient(url);
await visitor.get('/auth/csrf');
const token = visitor.cookies.get(csrfCookie) ?? '';
const counts = new Map<number, number>();
let sent = 0;

async function attack(): Promise<void> {
  for (;;) {
    sent += 1;
    const turn = sent % sources;
    const client = openClient(url, { ip: `198.${18 + (turn >> 8)}.${turn & 255}.7` });
    client.cookies.set(csrfCookie, token);
    for (const [name, value] of known?.cookies ?? []) client.cookies.set(name, value);
    const { email = `nobody${sent}@example.com`, password = 'a wrong one' } = known ?? {};
    const status = await client.post('/auth/login', { email, password }).then(
      (answer) => answer.status,
      () => 0,
    );
    counts.set(status, (counts.get(status) ?? 0) + 1);
  }
}

for (let connection = 0; connection < connections; connection += 1) void attack();
setInterval(() => process.stdout.write(`${JSON.stringify([...counts])}\n`), 500);
