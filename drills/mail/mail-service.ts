import { openClient } from '../../src/testing/client.ts';
import type { MailServer, ReceivedEmail } from '../../src/testing/mail/smtp-server.ts';
import { form } from '../../src/testing/people.ts';
import { openTestNode, type TestNode } from '../../src/testing/test-node.ts';
import type { FreshDatabase, Stage } from '../drill.ts';

/** The setup of an email scene. */
export type MailScene = FreshDatabase & Pick<Stage, 'atEnd' | 'points'>;

/** The service with a mail server, and people who use it. */
export interface MailService {
  readonly service: TestNode;
  /** Advances the service's clock, in milliseconds. */
  forward(milliseconds: number): void;
  readonly offset: () => number;
  /** Registers a person and returns their address. */
  register(): Promise<string>;
  /** Requests a reset link for a forgotten password. */
  askForLink(email: string): Promise<void>;
  /** Advances the clock from attempt to attempt until no email waits; returns by how many milliseconds. */
  deliver(): Promise<number>;
  judge(arrived: readonly ReceivedEmail[]): Promise<MailObservation>;
}

export interface MailObservation {
  readonly emails: number;
  /** Emails that the server accepted at least once. */
  readonly arrived: number;
  readonly copies: number;
  /** Whether each email always had the Message-ID of its row, however often it arrived. */
  readonly idsKept: boolean;
  /** Links in each person's newest email. */
  readonly links: number;
  readonly linksAlive: number;
}

/** Our promises about email: at least once and hardly more often, under one Message-ID, and never with a dead link. */
export const promisesOf = (
  { emails, arrived, copies, idsKept, links, linksAlive }: MailObservation,
  maxCopies: number,
): Readonly<Record<string, boolean>> => ({
  'each email arrives': emails > 0 && arrived === emails,
  'no acknowledged email is sent again': copies <= maxCopies,
  'each email has one Message-ID': idsKept,
  'no link is dead': links > 0 && linksAlive === links,
});

export async function openMailService(ground: MailScene, { port }: Pick<MailServer, 'port'>): Promise<MailService> {
  const clock = { offset: 0 };
  const settings = {
    SMTP_URL: `smtp://127.0.0.1:${port}`,
    MAIL_FROM: 'no-reply@door.example',
    RECOVERY_MAILS_PER_ADDRESS: '100000',
  };
  const service = await openTestNode({ database: ground, settings, clock });
  ground.atEnd(() => service.close());
  const browser = openClient(service.url);

  const waiting = () =>
    service.store
      .selectFrom('outbox')
      .select(['recipient', 'leased_until', 'due_at'])
      .where('sent_at', 'is', null)
      .where('gave_up_at', 'is', null)
      .orderBy('id')
      .execute();

  const mailService: MailService = {
    service,
    forward: (milliseconds) => {
      clock.offset += milliseconds;
      service.outbox.wake();
    },
    offset: () => clock.offset,
    async register() {
      const person = form();
      const { status, body } = await openClient(service.url).post('/auth/register', person);
      if (status !== 201) throw new Error(`the registration failed: ${JSON.stringify(body)}`);
      return String(person.email);
    },
    async askForLink(email) {
      const { status } = await browser.post('/auth/recovery', { email, locale: 'en' });
      if (status !== 202) throw new Error(`the recovery failed: ${status}`);
    },
    async deliver() {
      const begin = clock.offset;
      const deadline = performance.now() + 120_000;
      while (performance.now() < deadline) {
        const left = await waiting();
        if (left.length === 0) return clock.offset - begin;
        // Advance the clock only if nothing can happen now: to the next attempt for anyone's oldest email.
        const heads = Map.groupBy(left, ({ recipient }) => recipient);
        const next = Math.min(
          ...[...heads.values()].map(([head]) => Math.max(head?.due_at ?? 0, head?.leased_until ?? 0)),
        );
        const isSending = left.some(({ leased_until }) => leased_until > service.now());
        if (!isSending && next > service.now()) mailService.forward(next - service.now());
        else service.outbox.wake();
        await pause(20);
      }
      return clock.offset - begin;
    },
    async judge(arrived) {
      const rows = await service.store.selectFrom('outbox').select(['id', 'recipient']).execute();
      const idOf = ({ mail }: ReceivedEmail) => (mail.messageId ?? '').slice(1).split('@', 1)[0] ?? '';
      const came = new Set(arrived.map(idOf));
      const taken = new Set(arrived.filter(({ acknowledged }) => acknowledged).map(idOf));
      const idsByText = Map.groupBy(arrived, ({ mail, envelope }) => `${envelope.to} ${mail.text}`);
      const newest = Map.groupBy(arrived, ({ envelope }) => String(envelope.to));
      const links = [...newest.values()].flatMap((mails) => {
        const last = mails.reduce((one, other) => (idOf(other) > idOf(one) ? other : one));
        return (last.mail.text ?? '').match(/https:\/\/\S+/g) ?? [];
      });
      const alive = await Promise.all(links.map((link) => isAlive(new URL(link))));
      return {
        emails: rows.length,
        arrived: rows.filter(({ id }) => taken.has(id)).length,
        copies: arrived.length - came.size,
        idsKept:
          [...came].every((id) => rows.some((row) => row.id === id)) &&
          [...idsByText.values()].every((mails) => new Set(mails.map(idOf)).size === 1),
        links: links.length,
        linksAlive: alive.filter(Boolean).length,
      };
    },
  };

  async function isAlive({ pathname, search, searchParams }: URL): Promise<boolean> {
    if (!pathname.endsWith('/reset-password/')) return (await browser.get(pathname + search)).status === 200;
    const { status } = await browser.post('/auth/reset-password/check', Object.fromEntries(searchParams));
    return status === 204;
  }
  return mailService;
}

export const pause = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds));
