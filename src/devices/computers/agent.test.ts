import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { freshDatabase } from '../../testing/databases/databases.ts';
import { register } from '../../testing/people.ts';
import { openTestServer } from '../../testing/test-server.ts';

const agent = join(import.meta.dirname, '..', '..', '..', 'dist', 'agent', 'vestibule-agent.mjs');

test('the agent that the service serves enrols with a code, and its computer is in the list', async () => {
  const server = await openTestServer('sqlite');
  const served = await server.client().get('/computers/agent.mjs');
  expect(served.body).toContain('install CODE --server URL');
  const { browser } = await register(server);
  const { code } = (await browser.post('/computers/enrolments')).body;
  const { dataDir } = await freshDatabase('sqlite');
  const words = ['enrol', code, '--server', server.url, '--name', 'Büro', '--data', dataDir];
  const { stdout } = await promisify(execFile)(process.execPath, [agent, ...words]);
  expect(stdout).toContain('Büro');
  expect((await browser.get('/computers')).body.computers).toMatchObject([{ name: 'Büro' }]);
});

test('published executables need no Node, and an update reaches the share that the operator chose', async () => {
  const server = await openTestServer('sqlite');
  const { browser } = await register(server);
  const folder = join(server.config.DATA_DIR, 'agents');
  const publish = (name: string, text: string | Buffer) => writeFileSync(join(folder, name), text);
  const offer = async () => (await browser.post('/computers/enrolments')).body;
  expect(await offer()).toMatchObject({ needs_node: true, command: expect.stringContaining('node ') });

  const tokens: string[] = [];
  for (let added = 0; added < 20; added += 1) {
    const body = { code: (await offer()).code, name: `Desk ${added}`, platform: 'linux' };
    tokens.push((await server.client().post('/computers/enrol', body)).body.device_token);
  }
  const offered = async () => {
    const headers = (token: string) => ({ authorization: `Bearer ${token}` });
    const replies = tokens.map((token) => server.client().get('/computers/agents/update', headers(token)));
    return (await Promise.all(replies)).map(({ body }) => body);
  };
  const nothing = { key: null, sums: null, signature: null };
  expect(await offered()).toEqual(tokens.map(() => nothing));

  mkdirSync(folder);
  for (const name of ['key.pem', 'SHA256SUMS', 'SHA256SUMS.sig', 'secret']) publish(name, name);
  publish('vestibule-agent-Linux-x86_64', 'executable');
  publish('vestibule-agent-Linux-x86_64.gz', gzipSync('executable'));
  const { command, undo, needs_node } = await offer();
  expect(command).toContain('/computers/agents/vestibule-agent-$(uname -s)-$(uname -m)"');
  expect([undo, needs_node]).toEqual(['~/.vestibule-agent/vestibule-agent uninstall', false]);
  for (const encoding of ['identity', 'gzip'])
    expect(
      (
        await server.client().get('/computers/agents/vestibule-agent-Linux-x86_64', {
          'accept-encoding': encoding,
        })
      ).body,
    ).toBe('executable');
  for (const name of ['secret', 'share', '..%2Fdatabase.sqlite', 'vestibule-agent-Linux-x86_64.gz'])
    expect((await server.client().get(`/computers/agents/${name}`)).status).toBe(404);

  const without = { ...nothing, key: 'key.pem' };
  const all = { key: 'key.pem', sums: 'SHA256SUMS', signature: 'SHA256SUMS.sig' };
  const counts: number[] = [];
  for (const share of ['0', '50', '100']) {
    publish('share', share);
    const replies = await offered();
    expect(replies).toEqual(await offered());
    counts.push(replies.filter(({ sums }) => sums !== null).length);
    for (const reply of replies) expect(reply).toEqual(reply.sums ? all : without);
  }
  expect([counts[0], counts[2]]).toEqual([0, 20]);
  expect(counts[1]).toBeGreaterThan(0);
});
