import { type AddressInfo, createServer, connect as dial, type Socket } from 'node:net';
import type { Page } from 'playwright-core';
import { afterAll, describe, expect, test } from 'vitest';
import { freePort } from '../src/testing/free-port.ts';
import { register } from '../src/testing/people.ts';
import { openTestSite } from './test-site.ts';

const port = await freePort();
const way = await openCuttingProxy(port);
const site = await openTestSite({ PORT: String(port), PUBLIC_URL: `http://localhost:${way.port}` });
const { origin } = site;
afterAll(() => way.close());

const isIn = (tab: Page) => tab.getByRole('heading', { name: /Hello, / }).waitFor();
const expire = (tab: Page) => tab.evaluate(() => sessionStorage.removeItem('token'));
const refresh = 'POST /auth/refresh ';
// Not `reload`, which Chromium refuses while it still replaces a document that has only just committed.
const open = (tab: Page) => tab.goto(`${origin}/dashboard/`, { waitUntil: 'commit' });

/** Registers someone and opens their dashboard through the proxy that can cut connections. */
async function openDashboard() {
  const { email, browser } = await register(site.server);
  const page = await site.visit('/dashboard/', { session: browser });
  // The browser logs cut requests; these are not errors of the page.
  page.removeAllListeners('console');
  await isIn(page);
  return { page, email };
}

/** Expects that no refresh token looked copied, and no session ended. */
async function expectNoAlarm(email: string): Promise<void> {
  const sessions = await site.server.store
    .selectFrom('sessions')
    .innerJoin('accounts', 'accounts.id', 'sessions.account_id')
    .select(['sessions.end_reason', 'sessions.late_answers'])
    .where('accounts.email', '=', email)
    .execute();
  expect(sessions).toEqual([{ end_reason: null, late_answers: 0 }]);
}

const beforeResponse: [string, CutAt] = ['before the first byte of its response arrives', { of: 'head', bytes: 0 }];
const beforeToken: [string, CutAt] = ['between the response’s cookies and its token', { of: 'body', bytes: 0 }];

describe.each<[string, CutAt]>([
  ['before its first byte is sent', { of: 'request', bytes: 0 }],
  ['in the middle of its headers', { of: 'request', bytes: 100 }],
  beforeResponse,
  ['in the middle of the response’s headers', { of: 'head', bytes: 200 }],
  beforeToken,
  ['in the middle of the token', { of: 'body', bytes: 40 }],
])('a refresh whose connection is cut %s', (_where, at) => {
  test('is recovered after one cut, or after a cut at every reload', async () => {
    const { page, email } = await openDashboard();
    // Cut every refresh: with a token that arrived late, the next page would need no refresh.
    way.cut(refresh, at, 1000);
    for (let time = 0; time < 4; time += 1) {
      const left = way.left();
      await expire(page);
      await open(page);
      await expect.poll(way.left).toBeLessThan(left);
    }
    way.cut(refresh, at, 0);
    await open(page);
    await isIn(page);
    await expectNoAlarm(email);
  });
});

// The two that differ for other tabs: without and with the new cookies.
describe.each([beforeResponse, beforeToken])('a refresh whose connection is cut %s', (_where, at) => {
  test('never signs out another tab that refreshes at the same time', async () => {
    const { page, email } = await openDashboard();
    const tabs = [page, await page.context().newPage()];
    await tabs[1]?.goto(`${origin}/dashboard/`);
    for (let time = 0; time < 2; time += 1) {
      way.cut(refresh, at, 1);
      for (const tab of tabs) await expire(tab);
      await Promise.all(tabs.map((tab) => tab.reload()));
      await expect.poll(way.left).toBe(0);
      for (const tab of tabs) {
        await tab.reload();
        await isIn(tab);
      }
    }
    await expectNoAlarm(email);
  });

  test('is harmless if its tab is closed in the meantime, or left and restored', async () => {
    const { page, email } = await openDashboard();
    const closed = await page.context().newPage();
    way.cut(refresh, at, 1);
    await open(closed);
    await expect.poll(way.left).toBe(0);
    await closed.close();
    way.cut(refresh, at, 1);
    await expire(page);
    await open(page);
    await expect.poll(way.left).toBe(0);
    await page.goto(`${origin}/nothing/here/`);
    await page.goBack();
    await isIn(page);
    await expectNoAlarm(email);
  });
});

/** Where to reset a connection: after `bytes` bytes of a request, or of its response's head or body. */
interface CutAt {
  readonly of: 'request' | 'head' | 'body';
  readonly bytes: number;
}

interface CuttingProxy {
  readonly port: number;
  /** Cuts the next `times` connections that carry a request with this opening. */
  cut(opening: string, at: CutAt, times?: number): void;
  /** Number of cuts still to come. */
  left(): number;
  close(): void;
}

const endOfHead = '\r\n\r\n';

/**
 * A proxy to a server on 127.0.0.1 that cuts connections where a test wants: like a tunnel, or a laptop put to sleep.
 */
async function openCuttingProxy(target: number): Promise<CuttingProxy> {
  const sockets = new Set<Socket>();
  let planned: { opening: string; at: CutAt; times: number } | undefined;
  const plan = (chunk: Buffer): CutAt | undefined => {
    if (!planned || planned.times === 0 || !chunk.toString('latin1').startsWith(planned.opening)) return undefined;
    planned.times -= 1;
    return planned.at;
  };
  const server = createServer((near) => {
    const far = dial(target, '127.0.0.1');
    const reset = () => {
      near.resetAndDestroy();
      far.destroy();
    };
    for (const socket of [near, far]) {
      sockets.add(socket);
      socket.on('error', reset).on('close', () => {
        sockets.delete(socket);
        near.destroy();
        far.destroy();
      });
    }
    let at: CutAt | undefined;
    near.on('data', (chunk: Buffer) => {
      at ??= plan(chunk);
      if (at?.of !== 'request') return far.write(chunk);
      if (at.bytes > 0) far.write(chunk.subarray(0, at.bytes));
      return reset();
    });
    far.on('data', (chunk: Buffer) => {
      if (!at || at.of === 'request') return near.write(chunk);
      const passed = chunk.subarray(0, (at.of === 'body' ? chunk.indexOf(endOfHead) + endOfHead.length : 0) + at.bytes);
      return passed.length > 0 ? near.write(passed, reset) : reset();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    port: (server.address() as AddressInfo).port,
    cut(opening, at, times = 1) {
      planned = { opening, at, times };
    },
    left: () => planned?.times ?? 0,
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
