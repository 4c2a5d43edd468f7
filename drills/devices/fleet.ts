import { sql } from 'kysely';
import { type Client, openClient, type TestResponse } from '../../src/testing/client.ts';
import type { TestNode } from '../../src/testing/test-node.ts';
import { registerPerson } from '../fixtures/visitors.ts';

/** Someone with a confirmed address and number. */
interface Owner {
  readonly id: string;
  readonly email: string;
  /** Its access token is valid for ten minutes. */
  readonly browser: Client;
  /** Reads something at any time. */
  read(path: string): Promise<TestResponse['body']>;
}

export async function openOwner(node: TestNode): Promise<Owner> {
  const { browser, email } = await registerPerson(node.url);
  const { id } = (await browser.get('/account')).body;
  await sql`update accounts set phone_confirmed_at = 1, email_proven_at = 1, mail_new_device = 0 where id = ${id}`.execute(
    node.store,
  );
  const read = async (path: string) => {
    await browser.post('/auth/refresh');
    return (await browser.get(path)).body;
  };
  return { id, email, browser, read };
}

/** Creates a key for many computers. */
export async function createKey(
  { browser }: Pick<Owner, 'browser'>,
  key: { name: string; max_uses: number; tags: string[] },
) {
  const created = await browser.post('/account/enrolment-keys', { ...key, days: 1 });
  if (created.status !== 201) throw new Error(`no key: ${JSON.stringify(created.body)}`);
  return created.body.secret as string;
}

/** A computer that reports by the protocol of docs/agents.md. */
export interface Device {
  readonly id: string;
  readonly send: Client['send'];
  beat(heartbeat: object): Promise<TestResponse>;
}

export async function addWithKey(
  url: string,
  { key, name, ip }: { key: string; name: string; ip: string },
): Promise<Device> {
  const client = openClient(url, { ip });
  const added = await client.post('/computers/enrol', { code: key, name, platform: 'linux' });
  if (added.status !== 201) throw new Error(`not added: ${JSON.stringify(added.body)}`);
  const { computer: id, device_token: token } = added.body;
  const agent = Object.assign(client, { token });
  return { id, send: agent.send, beat: (body) => agent.send('POST', '/computers/heartbeat', { body }) };
}
