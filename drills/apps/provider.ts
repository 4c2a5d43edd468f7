import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from '../../src/testing/client.ts';
import { freePort } from '../../src/testing/free-port.ts';
import { password } from '../../src/testing/people.ts';
import { vestibule } from '../fixtures/environment.ts';
import type { Stage } from '../fixtures/stage.ts';
import { newBrowser, registerPerson } from '../fixtures/visitors.ts';
import { openAppBrowser } from './browser.ts';

interface Opening {
  /** The public address of the service; by default its own. */
  readonly publicUrl?: string;
  /** Addresses of the applications, by their origins. */
  readonly addresses?: Readonly<Record<string, string>>;
}

/** The service with two accounts, of which one is in the group `staff`. */
export async function openProvider(stage: Stage, { publicUrl, addresses = {} }: Opening = {}) {
  const database = await stage.fresh('sqlite');
  const port = await freePort();
  const issuer = publicUrl ?? `http://localhost:${port}`;
  const { url } = await stage.start({ database, port, settings: { PUBLIC_URL: issuer } });
  const [member, outsider] = [await registerPerson(url), await registerPerson(url)];
  await vestibule(database, ['groups', 'add', member.email, 'staff']);
  const all = { [issuer]: url, ...addresses };
  return {
    issuer,
    database,
    port,
    member,
    outsider,
    /** Adds a client for the group `staff`. */
    async addClient(...args: readonly string[]): Promise<{ id: string; secret: string }> {
      const output = await vestibule(database, [
        'clients',
        'add',
        'App',
        '--first-party',
        ...(args.includes('--groups') ? [] : ['--groups', 'staff']),
        ...args,
      ]);
      const [, id = ''] = /^client_id +(\S+)/m.exec(output) ?? [];
      const [, secret = ''] = /^client_secret +(\S+)/m.exec(output) ?? [];
      return { id, secret };
    },
    /** A new browser; `signIn` sends the form of the sign-in page and returns the account's id. */
    browse() {
      const client = newBrowser(url);
      const browser = openAppBrowser({ addresses: all, issuer, client });
      return {
        ...browser,
        signIn: (email: string) => signIn(client, email),
        signOut: () => client.post('/auth/logout'),
      };
    },
  };
}

async function signIn(client: Client, email: string): Promise<string> {
  const { status } = await client.post('/auth/login', { email, password });
  if (status !== 200) throw new Error(`the sign-in failed with ${status}`);
  return (await client.get('/account')).body.id;
}

/** Repeats a check until it passes, at most for the given milliseconds. */
export async function holdsWithin(limit: number, check: () => Promise<boolean>): Promise<boolean> {
  const deadline = performance.now() + limit;
  while (!(await check())) {
    if (performance.now() > deadline) return false;
    await pause(100);
  }
  return true;
}
