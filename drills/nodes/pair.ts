import { setTimeout as pause } from 'node:timers/promises';
import type { TestResponse } from '../../src/testing/client.ts';
import { openMailServer, type ReceivedEmail } from '../../src/testing/mail/smtp-server.ts';
import type { Stage } from '../drill.ts';
import { openProxy } from '../fixtures/proxies.ts';
import { type Settings, vestibule } from '../fixtures/service.ts';
import { tally } from '../fixtures/visitors.ts';

/** Two nodes on one PostgreSQL, and the mail server of both. */
export interface Pair {
  /** The URLs of both nodes in turn. */
  url(turn: number): string;
  readonly databaseUrl: string;
  readonly emails: readonly ReceivedEmail[];
  /** Emails to an address, once at least the given number has arrived and no more follow. */
  emailsTo(email: string, least: number): Promise<readonly ReceivedEmail[]>;
  run(...args: string[]): Promise<string>;
}

/** Milliseconds after which no more emails follow: nodes check the outbox every second. */
const quiet = 2500;

/** Milliseconds each way to an empty database: creating its tables then takes seconds, in which both nodes start. */
const lag = 10;

export async function openPair(
  stage: Stage,
  { settings, meetsEmpty = false }: { settings?: Settings | undefined; meetsEmpty?: boolean | undefined } = {},
): Promise<Pair> {
  const mail = await openMailServer();
  stage.atEnd(() => mail.close());
  const database = await stage.fresh('postgres');
  const proxy = await openProxy(database.databaseUrl ?? '');
  stage.atEnd(() => proxy.close());
  if (meetsEmpty) proxy.delay(lag);
  const start = {
    database: meetsEmpty ? { ...database, databaseUrl: proxy.url } : database,
    settings: { SMTP_URL: `smtp://127.0.0.1:${mail.port}`, ...settings },
  };
  const urls = (await Promise.all([stage.start(start), stage.start(start)])).map(({ url }) => url);
  proxy.delay(0);
  return {
    url: (turn) => urls[turn % urls.length] as string,
    databaseUrl: database.databaseUrl ?? '',
    emails: mail.arrived,
    async emailsTo(email, least) {
      const found = () => mail.arrived.filter(({ envelope }) => envelope.to.includes(email));
      const deadline = performance.now() + 30_000;
      while (found().length < least && performance.now() < deadline) await pause(50);
      await pause(quiet);
      return found();
    },
    run: (...args) => vestibule(database, args),
  };
}

/** The secret of the reset link in an email. */
export function hashIn({ mail }: ReceivedEmail): string | undefined {
  const [link] = (mail.text ?? '').match(/https:\/\/\S+\/reset-password\/\S+/) ?? [];
  return (link && new URL(link).searchParams.get('hash')) ?? undefined;
}

/** The statuses in numeric order, so that they can be compared. */
export const inOrder = (responses: readonly (TestResponse | undefined)[]) =>
  tally(responses.map((response) => response?.status).sort((one, other) => Number(one) - Number(other)));
