import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { OperatorRole } from '../../contract/operators.ts';
import { hours } from '../../contract/units.ts';
import { invitationLink, inviteOperator } from '../../operations/operators.ts';
import { accountParts } from '../../server/wings.ts';
import { setOperator } from '../../store/operators/operators.ts';
import { openClient } from '../../testing/client.ts';
import { register } from '../../testing/people.ts';
import { openTestServer, type TestServer } from '../../testing/test-server.ts';

/** A signed-in browser of a person with a role. */
async function browserOf(server: TestServer, role?: OperatorRole) {
  const { id, browser } = await register(server);
  if (role)
    await server.store
      .transaction()
      .execute((trx) => setOperator(trx, { account_id: id, role, added_at: server.now() }));
  return browser;
}

const paths = [
  '/console/',
  '/console',
  '/de/console/',
  '/en/console/',
  '/console/invitation/',
  '/console/_payload.json',
];

describe('the console', () => {
  test('looks like an unknown address to everyone but operators', async () => {
    const server = await openTestServer('sqlite');
    const withoutConsole = await openTestServer('sqlite', { CONSOLE: 'off' });
    const elsewhere = await openTestServer('sqlite', { CONSOLE_ADDRESSES: '203.0.113.0/24' });
    const strangers = [
      openClient(server.url),
      await browserOf(server),
      await browserOf(withoutConsole, 'owner'),
      await browserOf(elsewhere, 'owner'),
    ];
    const shape = (body: string) => body.replaceAll(/[\w-]{20,}/g, '');
    for (const [at, browser] of strangers.entries()) {
      for (const path of paths) {
        const unknown = await browser.get(path.replace('console', 'nothing'));
        const { status, body, headers } = await browser.get(path);
        expect([status, headers.get('location'), headers.get('allow')], `${at} ${path}`).toEqual([404, null, null]);
        expect(shape(JSON.stringify(body)).length, `${at} ${path}`).toBe(shape(JSON.stringify(unknown.body)).length);
      }
      expect(await browser.post('/console/')).toMatchObject({ status: 404, body: { code: 'not_found' } });
    }
    const operator = await browserOf(server, 'viewer');
    for (const path of ['/console/', '/de/console/', '/console/_payload.json'])
      expect((await operator.get(path)).status, path).toBe(200);
    const { status, headers } = await operator.get('/console?q=a');
    expect([status, headers.get('location')]).toEqual([308, '/console/?q=a']);
    await server.store.deleteFrom('operators').execute();
    expect((await operator.get('/console/')).status).toBe(404);
  });

  test('shows the page of an invitation to whoever has its link, also late, and to nobody who guesses', async () => {
    const server = await openTestServer('sqlite');
    const nobody = openClient(server.url);
    const operator = { kind: 'command', actor: 'root', origin: 'host', reason: undefined } as const;
    const operation = { store: server.store, parts: accountParts, operator, now: server.now() };
    const { invitation } = await inviteOperator(operation, { email: 'ann@mail.example', role: 'owner' });
    const path = invitationLink('', invitation);
    server.forward(hours(1));
    expect((await nobody.get(path)).status).toBe(200);
    for (const guess of [
      `${path}x`,
      path.replace(/invitation=/, 'invitation=a&invitation='),
      '/console/invitation/?invitation=',
    ])
      expect((await nobody.get(guess)).status, guess).toBe(404);
  });

  test('is not in anything that other visitors receive', async () => {
    const { pages } = await openTestServer('sqlite');
    const assets = join('dist', 'client', 'assets');
    const served = pages.filter(({ kind }) => kind === 'operator');
    expect(served.length).toBeGreaterThan(18);
    const nobody = openClient((await openTestServer('sqlite')).url);
    const linked = new Set<string>();
    for (const { path } of pages.filter(({ kind, language }) => kind !== 'operator' && language === 'de')) {
      const { body } = await nobody.get(path);
      expect(body, path).not.toMatch(/\/console|"console/);
      for (const [, name = ''] of String(body).matchAll(/\/assets\/([\w.-]+)/g)) linked.add(name);
    }
    // Whatever these import in turn, of which names are in their code.
    for (const name of linked)
      for (const other of readdirSync(assets).filter((file) => /\.(?:js|css)$/.test(file)))
        if (readFileSync(join(assets, name), 'utf8').includes(other)) linked.add(other);
    expect(linked.size).toBeGreaterThan(20);
    const revealing = [...linked].filter((name) =>
      /\/operators\/|\/console\//.test(readFileSync(join(assets, name), 'utf8')),
    );
    expect(revealing).toEqual([]);
  });
});
