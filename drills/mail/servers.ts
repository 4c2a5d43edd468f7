import { hours, minutes, seconds } from '../../src/contract/units.ts';
import {
  type MailServer,
  type MailServerOptions,
  openMailServer,
  refusal,
} from '../../src/testing/mail/smtp-server.ts';
import { judged, type Row } from '../drill.ts';
import {
  type MailObservation,
  type MailScene,
  type MailService,
  openMailService,
  pause,
  promisesOf,
} from './mail-service.ts';

const peopleCount = 8;

async function registerAll(mailService: MailService): Promise<string[]> {
  const people: string[] = [];
  for (let count = 0; count < peopleCount; count += 1) people.push(await mailService.register());
  return people;
}

async function askAll(mailService: MailService, people: readonly string[]): Promise<void> {
  for (const email of people) await mailService.askForLink(email);
}

/** The mail server is down for longer than a link lives; halfway, everyone requests another link. */
export async function down(ground: MailScene): Promise<Row> {
  const first = await openMailServer();
  const mailService = await openMailService(ground, first);
  const people = await registerAll(mailService);
  await mailService.deliver();
  await first.close();
  await askAll(mailService, people);
  for (let minute = 1; minute <= 70; minute += 1) {
    mailService.forward(minutes(1));
    if (minute === 35) await askAll(mailService, people);
    await pause(50);
  }
  const { queued } = await mailService.service.outbox.counts();
  const second = await openMailServer({ port: first.port });
  const back = await mailService.deliver();
  // People read their email later: a link's hour starts when its email is sent.
  mailService.forward(minutes(40));
  return judge(mailService, [first, second], {
    scenario: 'down for seventy minutes',
    ground,
    maxCopies: 0,
    note: `${queued} waited, all sent ${Math.round(back / seconds(1))} s after recovery`,
    promises: {
      'all of them waited': queued === 2 * peopleCount,
      // The longest pause is five minutes, plus jitter.
      'they leave soon': back <= minutes(6),
    },
  });
}

/** Accepts connections, but refuses every email twice. */
export const refusing = (ground: MailScene): Promise<Row> => {
  let mails = 0;
  return withServer('refusing (451), then accepting', ground, {
    maxCopies: 4 * peopleCount,
    within: minutes(2),
    reply: (acknowledge) => {
      mails += 1;
      acknowledge(mails <= 4 * peopleCount ? refusal(451, '4.3.0 come back later') : undefined);
    },
  });
};

/** Never responds to the first email, and takes two seconds for each of the others. */
export const slow = (ground: MailScene): Promise<Row> => {
  let mails = 0;
  return withServer('slow (2 s per email, no response to the first)', ground, {
    maxCopies: 1,
    reply: (acknowledge) => {
      mails += 1;
      if (mails > 1) setTimeout(acknowledge, 2000);
    },
  });
};

/** Dies after it received the whole email, before it responds. */
export const killedAfterData = (ground: MailScene): Promise<Row> => {
  let mails = 0;
  return withServer('killed after DATA', ground, {
    // It dies twelve times, each time during up to four parallel sends. Each email loses its acknowledgment once: after
    // the second time it would wait for 15 minutes, and then for hours.
    maxCopies: 12 * 4,
    reply: (acknowledge, cut) => {
      mails += 1;
      if (mails <= 12) cut();
      else acknowledge();
    },
  });
};

interface Scenery extends MailServerOptions {
  /** Only an email that the server received without acknowledging it may arrive again. */
  readonly maxCopies: number;
  /** Milliseconds on the service's clock in which all emails must leave. */
  readonly within?: number;
}

async function withServer(
  scenario: string,
  ground: MailScene,
  { maxCopies, within = hours(1), ...options }: Scenery,
): Promise<Row> {
  const server = await openMailServer(options);
  const mailService = await openMailService(ground, server);
  await askAll(mailService, await registerAll(mailService));
  const took = await mailService.deliver();
  const note = `clock advanced by ${Math.round(took / seconds(1))} s`;
  const promises = { 'pauses are short': took <= within };
  return judge(mailService, [server], { scenario, ground, maxCopies, note, promises });
}

interface Play {
  readonly scenario: string;
  readonly ground: MailScene;
  readonly maxCopies: number;
  readonly note: string;
  /** In addition to the promises about all email. */
  readonly promises: Readonly<Record<string, boolean>>;
}

/** Judges everything that arrived at any server, and closes the servers and the service. */
async function judge(
  mailService: MailService,
  servers: readonly MailServer[],
  { scenario, ground, maxCopies, note, promises }: Play,
): Promise<Row> {
  const judgement = await mailService.judge(servers.flatMap(({ arrived }) => arrived));
  await mailService.service.close();
  for (const server of servers) await server.close();
  return judged(
    { scenario, engine: ground.engine, ...asCells(judgement), note },
    { ...promisesOf(judgement, maxCopies), ...promises },
  );
}

/** The columns of the table. */
export const asCells = (seen: MailObservation) => ({
  emails: seen.emails,
  arrived: seen.arrived,
  copies: seen.copies,
  'Message-ID': seen.idsKept ? 'kept' : 'CHANGED',
  'links alive': `${seen.linksAlive}/${seen.links}`,
});
