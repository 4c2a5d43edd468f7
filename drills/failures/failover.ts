import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { minutes, seconds } from '../../src/contract/units.ts';
import { startPostgres } from '../../src/testing/databases/postgres.ts';
import { openMailServer } from '../../src/testing/mail/smtp-server.ts';
import { form } from '../../src/testing/people.ts';
import { type Drill, judged, type Row, type Stage } from '../drill.ts';
import { attempt, newBrowser } from '../fixtures/visitors.ts';
import { audit, type Ledger, openLedger } from './ledger.ts';

const clients = 6;
/** Acknowledgements before the leader is lost, and again after it has returned. */
const leastDone = 30;
/** Nodes look for a primary with each request. Includes the time that a busy machine needs to notice. */
const backWithin = seconds(2) + 500;
/** Nodes ask every host for its timeline every five seconds. */
const asked = seconds(6);

async function play(stage: Stage): Promise<Row> {
  const cluster = await openCluster(stage);
  const mail = await openMailServer();
  stage.atEnd(() => mail.close());
  const smtpUrl = `smtp://127.0.0.1:${mail.port}`;
  const nodes = [
    await openNode(stage, cluster.databaseUrl, smtpUrl),
    await openNode(stage, cluster.databaseUrl, smtpUrl),
  ] as const;
  const urls = nodes.map(({ url }) => url);
  const ledger = openLedger(mail);
  const load = openLoad(ledger, urls);
  await load.untilDone(leastDone);
  await cluster.loseLeader();
  const lost = performance.now();
  await pause(seconds(1));
  await cluster.promote();
  const back = await timeUntilServed(urls);
  const without = Math.round((performance.now() - lost - back) / 1000);
  await load.stop();
  const missing = await audit(nodes[0].url, ledger.entries);

  const former = await cluster.returnLeader();
  const before = await accountsOn(former);
  // A node that starts now meets the former primary first.
  await nodes[0].restart();
  await pause(asked);
  const later = openLoad(ledger, urls);
  await later.untilDone(leastDone);
  await later.stop();
  missing.push(...(await audit(nodes[0].url, ledger.entries)));
  const { registrations, 'sign-ins': signIns, refreshes, resets } = ledger.done;
  const problems = [...ledger.wrong, ...missing];
  return judged(
    {
      acknowledged: `${registrations} registrations, ${signIns} sign-ins, ${refreshes} refreshes, ${resets} resets`,
      'missing or incomplete': [...new Set(problems)].slice(0, 3).join('; ') || 0,
      'without a primary, s': without,
      'recovery after the promotion, ms': Math.round(back),
    },
    {
      'nothing acknowledged is lost': problems.length === 0,
      'requests are served 2 s after the promotion': back <= backWithin,
      'the former primary gets nothing': before === 'standby' || (await accountsOn(former)) === before,
    },
  );
}

/** A primary and a synchronous standby, between which an operator fails over by hand, without fencing. */
async function openCluster(stage: Stage) {
  const primary = await startPostgres();
  stage.atEnd(() => primary.stop());
  const standby = await primary.addSynchronousStandby();
  const { host } = new URL(primary.url);
  return {
    /** Lists both servers. */
    databaseUrl: primary.url.replace(host, `${host},${new URL(standby.url).host}`),
    /** Ends the primary, as a power failure does. */
    loseLeader: () => primary.crash(),
    promote: () => standby.promote(),
    /** Brings the former primary back; resolves to its URL once it is up. */
    async returnLeader() {
      await primary.returnAlone();
      return primary.url;
    },
  };
}

/** Starts a node with its own folder; returns how to start it again. */
async function openNode(stage: Stage, databaseUrl: string, smtpUrl: string) {
  const { dataDir } = await stage.fresh('sqlite');
  const start = {
    database: { dataDir, databaseUrl },
    settings: { SMTP_URL: smtpUrl, RECOVERY_MAILS_PER_ACCOUNT: '1000' },
  };
  const first = await stage.start(start);
  return {
    url: first.url,
    async restart(): Promise<void> {
      await first.stop();
      await stage.start({ ...start, port: first.port });
    },
  };
}

const acknowledgements = ({ done }: Ledger): number => Object.values(done).reduce((all, one) => all + one, 0);

function openLoad(ledger: Ledger, urls: readonly string[]) {
  let isOver = false;
  const client = async (_: unknown, at: number) => {
    while (!isOver) {
      await ledger.act(urls[at % urls.length] as string);
      // Keeps the load realistic while the nodes refuse everything.
      await pause(20);
    }
  };
  const before = acknowledgements(ledger);
  const running = Promise.all(Array.from({ length: clients }, client));
  return {
    async untilDone(least: number): Promise<void> {
      const deadline = performance.now() + minutes(1);
      while (acknowledgements(ledger) < before + least && performance.now() < deadline) await pause(50);
    },
    async stop(): Promise<void> {
      isOver = true;
      await running;
    },
  };
}

/** Milliseconds until each node stores a registration, at most a minute. */
async function timeUntilServed(urls: readonly string[]): Promise<number> {
  const began = performance.now();
  const served = async (url: string) => {
    while (performance.now() - began < minutes(1)) {
      const response = await attempt(newBrowser(url).post('/auth/register', form()));
      if (response?.status === 201) return;
      await pause(20);
    }
  };
  await Promise.all(urls.map(served));
  return performance.now() - began;
}

/** How many accounts a server has, or that it is a standby, which accepts no writes. */
async function accountsOn(connectionString: string): Promise<number | 'standby'> {
  const [row] = await query<{ standby: boolean; many: string }>(
    connectionString,
    'select pg_is_in_recovery() as standby, (select count(*) from accounts) as many',
  );
  return row?.standby ? 'standby' : Number(row?.many);
}

/** Runs a statement on a server that may restart meanwhile: retries for a minute, so the statement must be repeatable. */
async function query<R extends pg.QueryResultRow>(connectionString: string, statement: string): Promise<R[]> {
  const deadline = performance.now() + minutes(1);
  for (;;) {
    const client = new pg.Client({ connectionString });
    // The server also reports its end here.
    client.on('error', () => undefined);
    try {
      await client.connect();
      return (await client.query<R>(statement)).rows;
    } catch (error) {
      if (performance.now() > deadline) throw error;
      await pause(100);
    } finally {
      await client.end().catch(() => undefined);
    }
  }
}

export const drill: Drill = {
  promise:
    'When a standby replaces a lost primary, nothing acknowledged is lost, requests are served again within 2 s, and the former primary is refused when it returns.',
  maxConcurrent: 1,
  scenes: [{ name: 'synchronous pair', within: minutes(4), play }],
};
