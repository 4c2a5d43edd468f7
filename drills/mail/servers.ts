import { minutes, seconds } from '../../src/contract/durations.ts';
import { type MailServer, type MailServerOptions, openMailServer, refusal } from '../../src/testing/smtp-server.ts';
import type { Row } from '../table.ts';
import { type Ground, isKept, type MailHouse, openMailHouse, pause } from './mail-house.ts';

const peopleCount = 8;

async function registerAll(house: MailHouse): Promise<string[]> {
  const people: string[] = [];
  for (let count = 0; count < peopleCount; count += 1) people.push(await house.register());
  return people;
}

async function askAll(house: MailHouse, people: readonly string[]): Promise<void> {
  for (const email of people) await house.askForLink(email);
}

/** Nobody listens for longer than a link lives; halfway everyone asks again. */
export async function down(ground: Ground): Promise<Row> {
  const first = await openMailServer();
  const house = await openMailHouse(ground, first);
  const people = await registerAll(house);
  await house.deliver();
  await first.close();
  await askAll(house, people);
  for (let minute = 1; minute <= 70; minute += 1) {
    house.forward(minutes(1));
    if (minute === 35) await askAll(house, people);
    await pause(50);
  }
  const { queued } = await house.service.outbox.counts();
  const second = await openMailServer({ port: first.port });
  const back = await house.deliver();
  const judged = await judge(house, [first, second], {
    mostCopies: 0,
    note: `${queued} waited, all gone ${Math.round(back / seconds(1))} s after it was back`,
  });
  // The longest pause is five minutes, and its jitter.
  const held = judged.held && queued === 2 * peopleCount && back <= minutes(6);
  return named('down for seventy minutes', ground, { ...judged, held });
}

/** Takes connections and refuses every mail twice over. */
export const refusing = (ground: Ground): Promise<Row> => {
  let mails = 0;
  return withServer('refusing (451), then not', ground, {
    mostCopies: 4 * peopleCount,
    answer: (acknowledge) => {
      mails += 1;
      acknowledge(mails <= 4 * peopleCount ? refusal(451, '4.3.0 come back later') : undefined);
    },
  });
};

/** Says nothing at all to the first mail, and takes two seconds for each of the others. */
export const slow = (ground: Ground): Promise<Row> => {
  let mails = 0;
  return withServer('slow (2 s a mail, silent to the first)', ground, {
    mostCopies: 1,
    answer: (acknowledge) => {
      mails += 1;
      if (mails > 1) setTimeout(acknowledge, 2000);
    },
  });
};

/** Dies when it has the whole mail, before it says so. */
export const killedAfterData = (ground: Ground): Promise<Row> => {
  let mails = 0;
  return withServer('killed after DATA', ground, {
    // It dies twelve times, each time in the middle of what is being sent at once.
    mostCopies: 12 * 4,
    answer: (acknowledge, cut) => {
      mails += 1;
      if (mails % 2 === 1 && mails < 24) cut();
      else acknowledge();
    },
  });
};

interface Scenery extends MailServerOptions {
  /** A mail that the server has and did not acknowledge comes again; nothing else does. */
  readonly mostCopies: number;
}

async function withServer(name: string, ground: Ground, { mostCopies, ...options }: Scenery): Promise<Row> {
  const server = await openMailServer(options);
  const house = await openMailHouse(ground, server);
  await askAll(house, await registerAll(house));
  const took = await house.deliver();
  const note = `clock moved on by ${Math.round(took / seconds(1))} s`;
  return named(name, ground, await judge(house, [server], { mostCopies, note }));
}

/** Looks at everything that arrived anywhere, and closes the house. */
async function judge(
  house: MailHouse,
  servers: readonly MailServer[],
  { mostCopies, note }: { mostCopies: number; note: string },
): Promise<Row> {
  const judgement = await house.judge(servers.flatMap(({ arrived }) => arrived));
  await house.service.close();
  for (const server of servers) await server.close();
  return { held: isKept(judgement) && judgement.copies <= mostCopies, seen: { ...asCells(judgement), note } };
}

const named = (scenario: string, { engine }: Ground, { held, seen }: Row): Row => ({
  held,
  seen: { scenario, engine, ...seen },
});

/** As columns of the table. */
export const asCells = (judged: Awaited<ReturnType<MailHouse['judge']>>) => ({
  letters: judged.letters,
  arrived: judged.arrived,
  copies: judged.copies,
  'Message-ID': judged.idsKept ? 'kept' : 'CHANGED',
  'links alive': `${judged.linksAlive}/${judged.links}`,
});
