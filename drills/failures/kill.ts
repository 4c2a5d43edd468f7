import { setTimeout as pause } from 'node:timers/promises';
import { minutes, seconds } from '../../src/contract/units.ts';
import type { Engine } from '../../src/store/database.ts';
import { untilServed } from '../../src/testing/client.ts';
import { openMailServer } from '../../src/testing/mail/smtp-server.ts';
import { type Drill, judged, type Row, type Stage, usualPoints } from '../drill.ts';
import { attempt, percentile } from '../fixtures/visitors.ts';
import { audit, type Ledger, openLedger } from './ledger.ts';

const clients = 8;
const readyWithin = seconds(5);
/** Starts without anything to recover, to measure a normal start on this machine. */
const rests = 3;
/** Milliseconds of load before a kill. */
const strikesAfter = { least: 60, most: 1200 };
/** Acknowledgements before a kill; a busy machine takes longer for them. */
const leastDone = 10;
/** An email claimed by a dead process becomes available when its lease expires. */
const emailsWithin = seconds(75);

async function play(stage: Stage, engine: Engine): Promise<Row> {
  const { points = usualPoints } = stage;
  const mail = await openMailServer();
  stage.atEnd(() => mail.close());
  const database = await stage.fresh(engine);
  const settings = { SMTP_URL: `smtp://127.0.0.1:${mail.port}`, RECOVERY_MAILS_PER_ACCOUNT: '1000' };
  const ledger = openLedger(mail);
  let service = await stage.start({ database, settings });
  const readyAfter: number[] = [];
  for (let point = 0; point < points; point += 1) {
    await loadUntilKilled(ledger, service);
    service = await stage.start({ database, settings, port: service.port });
    readyAfter.push(service.readyAfter);
    await repeatRefreshes(ledger);
  }
  const rested: number[] = [];
  for (let rest = 0; rest < rests; rest += 1) {
    await service.kill();
    service = await stage.start({ database, settings, port: service.port });
    rested.push(service.readyAfter);
  }
  const usual = percentile(rested, 0.5);
  const problems = [...ledger.wrong, ...(await audit(service.url, ledger.entries))];
  const emails = await missingEmails(ledger, mail.arrived);
  const { registrations, 'sign-ins': signIns, refreshes, resets } = ledger.done;
  return judged(
    {
      engine,
      kills: points,
      acknowledged: `${registrations} registrations, ${signIns} sign-ins, ${refreshes} refreshes, ${resets} resets`,
      'missing or incomplete': [...new Set(problems)].slice(0, 3).join('; ') || 0,
      'emails missing': emails,
      'ready again, ms': `median ${percentile(readyAfter, 0.5)}, max ${Math.max(...readyAfter)}`,
      'start after a pause, ms': usual,
    },
    {
      'everything acknowledged is there': problems.length === 0,
      'each welcome email arrives': emails === 0,
      // One start in ten may coincide with other load on the machine.
      'ready in 5 s': percentile(readyAfter, 0.9) <= Math.max(readyWithin, 3 * usual),
      'all of it was tried': Math.min(registrations, signIns, refreshes, resets) > 0 || points < usualPoints,
    },
  );
}

async function loadUntilKilled(ledger: Ledger, service: Awaited<ReturnType<Stage['start']>>): Promise<void> {
  let isOver = false;
  const client = async () => {
    while (!isOver) await ledger.act(service.url);
  };
  const load = Promise.all(Array.from({ length: clients }, client));
  const before = acknowledgements(ledger);
  const began = performance.now();
  await pause(strikesAfter.least + Math.random() * (strikesAfter.most - strikesAfter.least));
  while (acknowledgements(ledger) < before + leastDone && performance.now() - began < seconds(6)) {
    await pause(Math.random() * 100);
  }
  await service.kill();
  isOver = true;
  await load;
}

const acknowledgements = ({ done }: Ledger): number => Object.values(done).reduce((all, one) => all + one, 0);

/** Repeats refreshes, as browsers do after a lost response. */
async function repeatRefreshes({ entries, wrong }: Ledger): Promise<void> {
  const signedIn = entries.filter(({ unanswered }) => !unanswered).flatMap(({ browsers }) => browsers);
  const responses = await Promise.all(
    signedIn.slice(-50).map((browser) => attempt(untilServed(() => browser.post('/auth/refresh')))),
  );
  for (const response of responses)
    if (response?.status !== 200) wrong.push(`signed out by a kill: ${response?.status}`);
}

async function missingEmails(
  { entries }: Ledger,
  arrived: readonly { readonly envelope: { readonly to: readonly string[] } }[],
): Promise<number> {
  const deadline = performance.now() + emailsWithin;
  const missing = () => {
    const reached = new Set(arrived.flatMap(({ envelope }) => envelope.to));
    return entries.filter(({ email, isAcknowledged }) => isAcknowledged && !reached.has(email)).length;
  };
  while (missing() > 0 && performance.now() < deadline) await pause(100);
  return missing();
}

export const drill: Drill = {
  promise: 'After kill -9, everything acknowledged is there and complete, and the service is ready again within 5 s.',
  maxConcurrent: 2,
  scenes: (['sqlite', 'postgres'] as const).map((engine) => ({
    name: engine,
    within: minutes(5),
    play: (stage) => play(stage, engine),
  })),
};
