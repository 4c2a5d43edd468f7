import { setTimeout as pause } from 'node:timers/promises';
import { minutes, seconds } from '../src/contract/units.ts';
import type { Engine } from '../src/store/database.ts';
import { openWebhookReceiver, type ReceivedWebhook, writeWebhooksFile } from '../src/testing/webhook-receiver.ts';
import { type Drill, judged, type Row, type Stage, usualPoints } from './drill.ts';
import type { Service } from './fixtures/service.ts';
import { attempt, inParallel, type Person, percentile, registerPerson } from './fixtures/visitors.ts';

/** Accounts on each node. */
const accounts = 6;
/** A receiver that takes a moment, so that a kill often hits a delivery. */
const repliesWithin = 120;
/** Milliseconds of load before a kill. */
const strikesAfter = { least: 100, most: 900 };
/** Far below the limit of changes of one account. */
const changesPerRound = 4;
/** The lease of a delivery that a killed node was sending, and a margin for a busy machine. */
const arriveWithin = seconds(75);

/** One account's changes: each sets another name, which its event contains. */
interface Author extends Person {
  readonly id: string;
  written: number;
  /** Numbers of the changes that the service acknowledged. */
  readonly acknowledged: number[];
}

/** Kills nodes while accounts change and their events leave, and compares what arrives with what was acknowledged. */
async function play(stage: Stage, { engine, nodes: count }: { engine: Engine; nodes: number }): Promise<Row> {
  const { points = usualPoints } = stage;
  let cutOff = 0;
  /** What the receiver has worked through; it discards its work when its caller is gone. */
  const processed: ReceivedWebhook[] = [];
  const receiver = await openWebhookReceiver({
    async reply(response, webhook) {
      await pause(Math.random() * repliesWithin);
      if (response.destroyed) cutOff += 1;
      else processed.push(webhook);
      response.writeHead(204).end();
    },
  });
  stage.atEnd(receiver.close);
  const database = await stage.fresh(engine);
  const start = {
    database,
    settings: { WEBHOOKS_FILE: writeWebhooksFile([{ ...receiver, events: ['account.changed'] }]) },
  };
  const nodes: Service[] = [];
  for (let node = 0; node < count; node += 1) nodes.push(await stage.start(start));
  const authors = await inParallel(
    4,
    nodes.flatMap(({ url }) => Array.from({ length: accounts }, () => url)),
    openAuthor,
  );
  let late = 0;
  for (let point = 0; point < points; point += 1) {
    const changes = Promise.all(authors.map(changeOften));
    await pause(strikesAfter.least + Math.random() * (strikesAfter.most - strikesAfter.least));
    const at = point % count;
    const killed = nodes[at] as Service;
    late += missing(authors, processed).length;
    await killed.kill();
    await changes;
    nodes[at] = await stage.start({ ...start, port: killed.port });
  }
  const deadline = performance.now() + arriveWithin;
  while (missing(authors, processed).length > 0 && performance.now() < deadline) await pause(100);
  const lost = missing(authors, processed);
  const disordered = authors.filter((author) => !isSorted(firstArrivals(author, processed)));
  const ids = new Map<string, Set<string>>();
  for (const { id, raw } of receiver.received) ids.set(id, (ids.get(id) ?? new Set()).add(raw));
  const changed = [...ids.values()].filter(({ size }) => size > 1).length;
  const acknowledged = authors.flatMap((author) => author.acknowledged).length;
  return judged(
    {
      engine,
      nodes: count,
      kills: points,
      'acknowledged changes': acknowledged,
      'events that arrived': ids.size,
      'arrived twice': receiver.received.length - ids.size,
      'cut off by a kill': cutOff,
      'waiting at a kill': late,
      lost: lost.slice(0, 3).join('; ') || 0,
      'accounts out of order': disordered.length,
      'bad signatures': receiver.rejected.length,
    },
    {
      'every acknowledged change arrives': lost.length === 0,
      'in order per account': disordered.length === 0,
      'every signature is valid': receiver.rejected.length === 0,
      'a repeated event has the same id and body': changed === 0,
      'kills hit deliveries': cutOff + late > 0 || points < usualPoints,
      'all accounts changed':
        percentile(
          authors.map((author) => author.acknowledged.length),
          0,
        ) > 0,
    },
  );
}

async function openAuthor(url: string): Promise<Author> {
  const person = await registerPerson(url);
  const { body } = await person.browser.get('/account');
  return { ...person, id: body.id, written: 0, acknowledged: [] };
}

/** Changes that the kill interrupts have no response, so they may have happened or not. */
async function changeOften(author: Author): Promise<void> {
  for (let change = 0; change < changesPerRound; change += 1) {
    author.written += 1;
    const step = author.written;
    const response = await attempt(author.browser.send('PATCH', '/account', { body: { name: nameOf(step) } }));
    if (response?.status === 200) author.acknowledged.push(step);
    if (response?.status === 401) await attempt(author.browser.post('/auth/refresh'));
    await pause(Math.random() * 150);
  }
}

const nameOf = (step: number) => `Change ${step}`;

/** The changes of an account in the order in which their events first arrived. */
function firstArrivals({ id }: Author, processed: readonly ReceivedWebhook[]): number[] {
  const arrived = new Map<string, number>();
  for (const event of processed) {
    const account = event.data.account as { readonly id: string; readonly name?: string };
    const step = /^Change (\d+)$/.exec(account.name ?? '')?.[1];
    if (account.id === id && step !== undefined && !arrived.has(event.id)) arrived.set(event.id, Number(step));
  }
  return [...arrived.values()];
}

const isSorted = (steps: readonly number[]): boolean =>
  steps.every((step, at) => at === 0 || step >= (steps[at - 1] ?? 0));

/** Acknowledged changes whose events have not arrived, as account and change. */
const missing = (authors: readonly Author[], processed: readonly ReceivedWebhook[]): string[] =>
  authors.flatMap((author) => {
    const arrived = new Set(firstArrivals(author, processed));
    return author.acknowledged.filter((step) => !arrived.has(step)).map((step) => `${author.id} ${nameOf(step)}`);
  });

export const drill: Drill = {
  promise: 'After kill -9, every event of an acknowledged change arrives at least once, signed, in order per account.',
  maxConcurrent: 2,
  scenes: [
    { name: 'sqlite', within: minutes(5), play: (stage) => play(stage, { engine: 'sqlite', nodes: 1 }) },
    { name: 'postgres', within: minutes(5), play: (stage) => play(stage, { engine: 'postgres', nodes: 2 }) },
  ],
};
