import { minutes } from '../contract/durations.ts';
import type { InboxCall, InboxMessage } from '../development-inbox/inbox.ts';
import type { Page } from '../http/page.ts';
import type { SourcesSeen } from '../http/sources-seen.ts';
import type { Config } from '../server/config.ts';
import type { Engine, Store } from '../store/database.ts';
import { type Client, openClient } from './client.ts';
import { migratedDatabase, withLongTimeouts } from './databases/databases.ts';
import { onFileEnd } from './file-cleanup.ts';
import { openTestNode, type TestNodeOptions } from './test-node.ts';

/** The whole service on a port of its own, with a clock that a test can move. */
export interface TestServer {
  readonly url: string;
  readonly store: Store;
  readonly config: Config;
  /** Every page in every language. */
  readonly pages: readonly Page[];
  readonly sources: SourcesSeen;
  /** Moves the service's clock on, in milliseconds. */
  forward(milliseconds: number): void;
  now(): number;
  /** A browser of its own: cookies, CSRF header, an address. */
  client(options?: { ip?: string }): Client;
  /** The newest mail to an address, as soon as it is there; of several the one that comes as the n-th. */
  mailTo(address: string, subject?: RegExp, nth?: number): Promise<InboxMessage>;
  mails(address: string): Promise<InboxMessage[]>;
  /** The calls that somebody would have got, the newest first. */
  calls(): Promise<InboxCall[]>;
  /** Calls the newest number that waits for a call from this phone (E.164). */
  callFrom(phone: string): Promise<void>;
  /** A second node on the same database, on a machine whose clock may be wrong by so many milliseconds. */
  neighbour(skew?: number): Promise<TestServer>;
  close(): Promise<void>;
}

/** Opens the service on a new database of an engine, with settings as an operator writes them. */
export async function openTestServer(
  engine: Engine,
  settings: Record<string, string> = {},
  options: Pick<TestNodeOptions, 'waitsFor' | 'fetchText'> = {},
): Promise<TestServer> {
  return openOn({
    database: await migratedDatabase(engine),
    settings,
    clock: { offset: 0 },
    ...withLongTimeouts,
    ...options,
  });
}

async function openOn(ground: TestNodeOptions & { clock: { offset: number } }): Promise<TestServer> {
  const { clock } = ground;
  const { url, store, config, inbox, pages, sources, now, close } = await openTestNode(ground);

  const mails = async (address: string) => ((await inbox?.list()) ?? []).filter((mail) => mail.to === address);
  const server: TestServer = {
    url,
    store,
    config,
    pages,
    sources,
    now,
    forward: (milliseconds) => {
      clock.offset += milliseconds;
    },
    client: (options) => openClient(url, options),
    mails,
    calls: async () => (await inbox?.calls.list()) ?? [],
    async callFrom(phone) {
      const awaited = (await inbox?.calls.list())?.find(({ to, way }) => to === phone && way === 'reverse');
      if (!awaited) throw new Error(`nobody waits for a call from ${phone}`);
      await inbox?.calls.add({ ...awaited, called: true });
    },
    async mailTo(address, subject = /./, nth = 1) {
      const deadline = performance.now() + minutes(2);
      while (performance.now() < deadline) {
        const found = (await mails(address)).filter((mail) => subject.test(mail.subject));
        if (found[0] && found.length >= nth) return found[0];
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      throw new Error(`no mail to ${address} came`);
    },
    neighbour: (wrongBy) => openOn({ ...ground, skew: wrongBy ?? 0 }),
    close,
  };
  onFileEnd(close);
  return server;
}
