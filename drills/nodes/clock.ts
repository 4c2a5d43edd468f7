import { setTimeout as pause } from 'node:timers/promises';
import { days, minutes, seconds } from '../../src/contract/units.ts';
import type { Engine } from '../../src/store/database.ts';
import type { TestResponse } from '../../src/testing/client.ts';
import { openMailServer, refusal } from '../../src/testing/mail/smtp-server.ts';
import { form } from '../../src/testing/people.ts';
import { type Drill, judged, type Row, type Stage } from '../drill.ts';
import type { Service } from '../fixtures/service.ts';
import { inParallel, insist, newBrowser, type Person, registerPeople, tally } from '../fixtures/visitors.ts';
import { openWrongClock, type WrongClock } from '../fixtures/wrong-clock.ts';
import { openTab } from './tabs.ts';

const peopleCount = 20;
const rounds = 6;

/** Milliseconds by which each node's clock is wrong from its start. */
const startedWrong: Readonly<Record<string, readonly number[]>> = {
  'two nodes, one 5 min ahead and one 5 min behind': [minutes(5), -minutes(5)],
  'two nodes, one a day ahead': [0, days(1)],
};

/** Milliseconds by which the clock is set while the service runs, and whether that ends a one-minute lockout. */
const putWhileRunning: Readonly<Record<string, { readonly by: number; readonly opens: boolean }>> = {
  'set 5 min ahead': { by: minutes(5), opens: true },
  'set a day ahead': { by: days(1), opens: true },
  'set 5 min back': { by: -minutes(5), opens: false },
  'set a day back': { by: -days(1), opens: false },
};

interface ClockScene {
  readonly nodes: readonly (Service & { readonly clock: WrongClock })[];
  readonly people: readonly Person[];
  /** How many emails with a link have arrived. */
  links(): number;
  /** Whether the mail server refuses emails temporarily. */
  readonly mail: { refuses: boolean };
}

async function open(stage: Stage, engine: Engine, shifts: readonly number[]): Promise<ClockScene> {
  const mail = { refuses: false };
  const server = await openMailServer({
    reply: (acknowledge) => acknowledge(mail.refuses ? refusal(451, '4.3.0 later') : undefined),
  });
  stage.atEnd(() => server.close());
  const database = await stage.fresh(engine);
  const nodes: (Service & { readonly clock: WrongClock })[] = [];
  for (const shift of shifts) {
    const clock = openWrongClock(stage, shift);
    const settings = { SMTP_URL: `smtp://127.0.0.1:${server.port}`, ...clock.start.settings };
    nodes.push({ ...(await stage.start({ ...clock.start, database, settings })), clock });
  }
  const people = await registerPeople((nodes[0] as Service).url, peopleCount);
  const hasLink = ({ mail: { text } }: { mail: { text?: string | undefined } }) => /reset-password/.test(text ?? '');
  const links = () => server.arrived.filter((one) => one.acknowledged && hasLink(one)).length;
  return { nodes, people, links, mail };
}

/** Each person's tabs wake together, and their requests alternate between the nodes. */
async function playApart(stage: Stage, name: string): Promise<Row> {
  const shifts = startedWrong[name] ?? [];
  const { nodes, people, links } = await open(stage, 'postgres', shifts);
  const urlOf = (turn: number) => (nodes[turn % nodes.length] as Service).url;
  const responses = await inParallel(peopleCount, people, async ({ browser }) => {
    const heard: (TestResponse | undefined)[] = [];
    for (let round = 0; round < rounds; round += 1) {
      const tabs = [openTab(browser, urlOf(round)), openTab(browser, urlOf(round + 1))];
      heard.push(...(await Promise.all(tabs.map((tab) => insist(() => tab.post('/auth/refresh'))))));
      for (const [cookie, value] of tabs[0]?.cookies ?? []) browser.cookies.set(cookie, value);
    }
    return heard;
  });
  return finish(name, 'postgres', { url: urlOf(0), people, links, responses: responses.flat() });
}

/** One node whose clock is set while people are signed in. */
async function playPut(stage: Stage, name: string): Promise<Row> {
  const { by, opens } = putWhileRunning[name] as (typeof putWhileRunning)[string];
  const { nodes, people, links, mail } = await open(stage, 'sqlite', [0]);
  const [{ url, clock }] = nodes as [ClockScene['nodes'][number]];
  const [locked] = people as [Person];
  const guess = { email: locked.email, password: 'a wrong one' };
  for (let guesses = 0; guesses < 5; guesses += 1) await insist(() => newBrowser(url).post('/auth/login', guess));
  mail.refuses = true;
  await insist(() => newBrowser(url).post('/auth/recovery', { email: locked.email, locale: 'en' }));
  await pause(seconds(1));
  await clock.put(by);
  mail.refuses = false;
  const responses = await Promise.all(people.map(({ browser }) => insist(() => browser.post('/auth/refresh'))));
  const { email, password } = locked;
  const again = await insist(() => newBrowser(url).post('/auth/login', { email, password }));
  // The outbox gives an email up after a day, so the queued one must arrive only if the clock was set back.
  const isHeld = by < 0 && !(await comes(links));
  const isRight = again?.status === (opens ? 200 : 429);
  return finish(name, 'sqlite', {
    ...{ url, people: people.slice(1), links, responses: responses },
    cells: {
      'one-minute lockout': opens === isRight ? 'open' : 'shut',
      'queued email': isHeld ? 'waits' : 'sent',
    },
    promises: { 'the lockout ends on time': isRight, 'queued emails are sent': !isHeld },
  });
}

/** Whether an email with a link arrives within 20 seconds. */
async function comes(links: () => number): Promise<boolean> {
  const began = performance.now();
  while (links() === 0 && performance.now() - began < seconds(20)) await pause(50);
  return links() > 0;
}

interface ClockObservation {
  readonly url: string;
  readonly people: readonly Person[];
  links(): number;
  readonly responses: readonly ({ readonly status: number } | undefined)[];
  /** Further figures and promises of the scene. */
  readonly cells?: Row['seen'];
  readonly promises?: Readonly<Record<string, boolean>>;
}

/** Checks that users can then sign in and register, and that emails are sent. */
async function finish(name: string, engine: Engine, seen: ClockObservation): Promise<Row> {
  const { url, people, links, responses } = seen;
  const { email, password } = people[0] as Person;
  const before = links();
  const after = [
    await insist(() => newBrowser(url).post('/auth/login', { email, password })),
    await insist(() => newBrowser(url).post('/auth/register', form())),
    await insist(() => newBrowser(url).post('/auth/recovery', { email, locale: 'en' })),
  ];
  const asked = performance.now();
  await comes(() => links() - before);
  const statuses = responses.map((response) => response?.status ?? 0);
  const done = after.map((response) => response?.status).join();
  return judged(
    {
      "a node's clock is": name,
      engine,
      refreshes: tally(statuses),
      'sign-in, registration, link': done,
      'link arrives': links() > before ? `after ${Math.round(performance.now() - asked)} ms` : 'never',
      ...seen.cells,
    },
    {
      'no user is signed out': statuses.every((status) => status === 200),
      'sign-in, registration and recovery work': done === '200,201,202',
      'emails are sent': links() > before,
      ...seen.promises,
    },
  );
}

export const drill: Drill = {
  promise: 'A wrong or changing clock never signs anyone out, ends a lockout early or delays an email.',
  maxConcurrent: 1,
  scenes: [
    ...Object.keys(startedWrong).map((name) => ({ name, play: (stage: Stage) => playApart(stage, name) })),
    ...Object.keys(putWhileRunning).map((name) => ({ name, play: (stage: Stage) => playPut(stage, name) })),
  ],
};
