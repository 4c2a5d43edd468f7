import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { minutes, seconds } from '../../src/contract/units.ts';
import { leaseFor } from '../../src/outbox/delivery/outbox-worker.ts';
import type { Engine } from '../../src/store/database.ts';
import { type MailServer, openMailServer } from '../../src/testing/mail/smtp-server.ts';
import { type Drill, type FreshDatabase, judged, type Row, usualPoints } from '../drill.ts';
import { endsWithUs } from '../fixtures/service.ts';
import { type MailScene, type MailService, openMailService, pause, promisesOf } from './mail-service.ts';
import { asCells, down, killedAfterData, refusing, slow } from './servers.ts';

/** A kill after everything was sent and recorded does not count. */
const triesForEach = 3;
/** Time in which the last process sends the rest; it would never end if it could not claim them. */
const lastWithin = minutes(1.5);

/** Kills a sending process (SIGKILL) at random points between its claim of an email and the record that it was sent. */
export async function killed(ground: MailScene): Promise<Row> {
  const { points: kills = usualPoints } = ground;
  const server = await openMailServer({ reply: (acknowledge) => setTimeout(acknowledge, Math.random() * 10) });
  const mailService = await openMailService(ground, server);
  // Only the processes below send.
  await mailService.service.outbox.stop();
  let window = await sendingTime(ground, { mailService, server });
  const points = { before: 0, after: 0 };
  for (let tries = 0; tries < triesForEach * kills && points.before + points.after < kills; tries += 1) {
    await mailService.askForLink(await mailService.register());
    const worker = startWorker(ground, { mailService, server });
    await worker.claimed;
    await pause(Math.random() * window);
    worker.kill();
    await worker.ended;
    // By then, the mail server has also parsed everything that it received.
    await pause(20);
    const caught = await underWay(mailService);
    // Follow the machine's load, which may have changed.
    window *= caught.length > 0 ? 1.05 : 0.8;
    if (caught.length > 0) points[caught.some((id) => hasArrived(server, id)) ? 'after' : 'before'] += 1;
    mailService.forward(seconds(10));
  }
  mailService.forward(leaseFor);
  const last = startWorker(ground, { mailService, server });
  const late = setTimeout(last.kill, lastWithin);
  const code = await last.ended;
  clearTimeout(late);

  const judgement = await mailService.judge(server.arrived);
  await mailService.service.store.destroy();
  await mailService.service.close();
  await server.close();
  const total = points.before + points.after;
  return judged(
    {
      scenario: `killed -9 at ${total} points`,
      engine: ground.engine,
      ...asCells(judgement),
      note: `killed ${points.before} times before the server accepted, ${points.after} times after`,
    },
    {
      ...promisesOf(judgement, total),
      'the last process completes': code === 0,
      'it was killed often': total >= kills,
    },
  );
}

/** Milliseconds from the claim to the arrival of an email, in an undisturbed process. */
async function sendingTime(database: FreshDatabase, { mailService, server }: Sending): Promise<number> {
  await mailService.register();
  const worker = startWorker(database, { mailService, server });
  await worker.claimed;
  const began = performance.now();
  while (server.arrived.length === 0) await pause(1);
  const took = performance.now() - began;
  await worker.ended;
  return took * 1.5;
}

interface Sending {
  readonly mailService: MailService;
  readonly server: MailServer;
}

interface Worker {
  /** Resolves once it has claimed an email, or has exited without one. */
  readonly claimed: Promise<unknown>;
  /** Its exit code; null if it was killed. */
  readonly ended: Promise<number | null>;
  kill(): void;
}

function startWorker({ dataDir, databaseUrl }: FreshDatabase, { mailService, server }: Sending): Worker {
  const task = { dataDir, databaseUrl, port: server.port, offset: mailService.offset() };
  const program = join(import.meta.dirname, 'worker.ts');
  const child = endsWithUs(
    spawn(process.execPath, [program, JSON.stringify(task)], { stdio: ['ignore', 'pipe', 'inherit'] }),
  );
  // Registered immediately, since it may exit before anyone awaits this.
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const said = new Promise((resolve) => child.stdout.once('data', resolve));
  return { claimed: Promise.race([said, ended]), ended, kill: () => child.kill('SIGKILL') };
}

/** Emails that the dead process still leases. */
async function underWay({ service }: MailService): Promise<string[]> {
  const rows = await service.store
    .selectFrom('outbox')
    .select('id')
    .where('sent_at', 'is', null)
    .where('leased_until', '>', service.now() + leaseFor - seconds(10))
    .execute();
  return rows.map(({ id }) => id);
}

const hasArrived = ({ arrived }: MailServer, id: string): boolean =>
  arrived.some(({ mail }) => mail.messageId?.startsWith(`<${id}@`));

const engines: readonly Engine[] = ['sqlite', 'postgres'];
const scenes = {
  'down for seventy minutes': down,
  refusing,
  slow,
  'killed after DATA': killedAfterData,
  'kill -9': killed,
};

export const drill: Drill = {
  promise: 'Every email arrives at least once, under one Message-ID, and never with a dead link.',
  maxConcurrent: 5,
  scenes: engines.flatMap((engine) =>
    Object.entries(scenes).map(([name, play]) => ({
      name: `${name} (${engine})`,
      within: minutes(6),
      play: async ({ fresh, ...stage }) => play({ ...stage, ...(await fresh(engine)) }),
    })),
  ),
};
