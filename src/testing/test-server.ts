import type { FairGate } from '../access/fair-gate.ts';
import { minutes } from '../contract/units.ts';
import type { InboxCall, InboxMessage } from '../development-inbox/inbox.ts';
import type { SourcesSeen } from '../http/incoming/visitor.ts';
import type { Page } from '../http/pages/page.ts';
import type { Config } from '../server/settings/config.ts';
import type { Engine, Store } from '../store/database.ts';
import type { Counters } from '../store/operators/statistics.ts';
import { type Client, openClient } from './client.ts';
import { migratedDatabase, withLongTimeouts } from './databases/databases.ts';
import { onFileEnd } from './file-cleanup.ts';
import { openTestNode, type TestNodeOptions } from './test-node.ts';

/** The whole service on its own port, with a clock that a test can move. */
export interface TestServer {
  readonly url: string;
  readonly store: Store;
  readonly config: Config;
  /** Every page in every language. */
  readonly pages: readonly Page[];
  readonly sources: SourcesSeen;
  readonly gate: Pick<FairGate, 'state'>;
  readonly openIdRequests: Pick<FairGate, 'state'>;
  readonly counters: Counters;
  /** Moves the service's clock forward, in milliseconds. */
  forward(milliseconds: number): void;
  now(): number;
  /** A new browser with cookies, CSRF header and an address. */
  client(options?: { ip?: string }): Client;
  /** Waits until `nth` emails to an address and all that someone waits for have arrived, and returns the newest. */
  mailTo(address: string, subject?: RegExp, nth?: number): Promise<InboxMessage>;
  mails(address: string): Promise<InboxMessage[]>;
  /** The calls that phones would have received, newest first. */
  calls(): Promise<InboxCall[]>;
  /** Simulates a call from this phone (E.164) to the number of its newest pending reverse call. */
  callFrom(phone: string): Promise<void>;
  /** A second node on the same database, on a machine whose clock may be wrong by `skew` milliseconds. */
  otherNode(skew?: number): Promise<TestServer>;
  close(): Promise<void>;
}

/** Opens the service on a new database of an engine, with settings as an operator writes them. */
export async function openTestServer(
  engine: Engine,
  settings: Record<string, string> = {},
  options: Pick<TestNodeOptions, 'timeBudget' | 'fetchText' | 'scheduler' | 'fullHashes' | 'ownPages'> = {},
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
  const { url, store, config, inbox, pages, sources, gate, openIdRequests, counters, now, close } =
    await openTestNode(ground);

  /** Emails do not change, and tests look for them often. */
  const mailsRead = new Map<string, InboxMessage>();
  const mails = async (address: string) => {
    const found: InboxMessage[] = [];
    for (const id of (await inbox?.ids()) ?? []) {
      const mail = mailsRead.get(id) ?? (await inbox?.read(id));
      if (mail) mailsRead.set(id, mail);
      if (mail?.to === address) found.push(mail);
    }
    return found;
  };
  const server: TestServer = {
    url,
    store,
    config,
    pages,
    sources,
    gate,
    openIdRequests,
    counters,
    now,
    forward: (milliseconds) => {
      clock.offset += milliseconds;
    },
    client: (options) => openClient(url, options),
    mails,
    calls: async () => (await inbox?.calls.list()) ?? [],
    async callFrom(phone) {
      const awaited = (await inbox?.calls.list())?.find(({ to, way }) => to === phone && way === 'reverse');
      if (!awaited) throw new Error(`no reverse call expects ${phone}`);
      await inbox?.calls.add({ ...awaited, called: true });
    },
    async mailTo(address, subject = /./, nth = 1) {
      const deadline = performance.now() + minutes(2);
      while (performance.now() < deadline) {
        // An older email must not pass for one that is on its way, or that arrives between these two lines.
        const isComplete = !(await isAwaited(store, address));
        const found = (await mails(address)).filter((mail) => subject.test(mail.subject));
        if (isComplete && found[0] && found.length >= nth) return found[0];
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
      throw new Error(`no email to ${address} arrived`);
    },
    otherNode: (wrongBy) => openOn({ ...ground, skew: wrongBy ?? 0 }),
    close,
  };
  onFileEnd(close);
  return server;
}

/** Whether an email that a person waits for has not left for this address yet. */
async function isAwaited(store: Store, address: string): Promise<boolean> {
  const { awaited } = await store
    .selectFrom('outbox')
    .where('recipient', '=', address)
    .where('urgent', '=', 1)
    .where('sent_at', 'is', null)
    .where('gave_up_at', 'is', null)
    .select(({ fn }) => fn.countAll<number | string>().as('awaited'))
    .executeTakeFirstOrThrow();
  return Number(awaited) > 0;
}
