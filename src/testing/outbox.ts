import { onTestFinished, vi } from 'vitest';
import type { LanguageCode } from '../contract/languages.ts';
import { minutes } from '../contract/units.ts';
import type { EmailMessage, EmailSender } from '../outbox/compose.ts';
import { type Outbox, type OutboxDeps, startOutbox } from '../outbox/delivery/outbox-worker.ts';
import { enqueueEmail } from '../outbox/enqueue-email.ts';
import { openKeyEncryption } from '../security/macs.ts';
import type { Store } from '../store/database.ts';
import type { TestServer } from './test-server.ts';

/** Seals what the emails of tests contain. */
export const secrets = openKeyEncryption('the secret of the tests of the outbox');

/** A clock that only the test moves. */
export function testClock(at = Date.UTC(2026, 10, 21, 12)) {
  const clock = {
    at,
    now: () => clock.at,
    pass: (milliseconds: number) => {
      clock.at += milliseconds;
    },
  };
  return clock;
}

const mailSettings = {
  PRODUCT_NAME: 'Vestibule',
  PUBLIC_URL: 'https://sign-in.example',
  MAIL_FROM: 'no-reply@sign-in.example',
  SUPPORT_EMAIL: 'help@sign-in.example',
  LOG_LEVEL: 'silent',
};

export const account = (id: string, locale: LanguageCode = 'en') => ({
  id,
  email: `${id}@mail.example`,
  name: `Person ${id}`,
  locale,
});

export const recoveryLink = 'https://sign-in.example/reset-password/?email=ada%40mail.example&hash=s3cret';

/** Enqueues a recovery email in its own transaction. */
export const postRecovery = (
  store: Store,
  { to, at }: { to: ReturnType<typeof account>; at: number },
): Promise<string> =>
  store
    .transaction()
    .execute((trx) =>
      enqueueEmail(trx, { notice: 'recovery', params: { link: recoveryLink }, account: to, at, secrets }),
    );

/** The same with a notice that is not urgent. */
export const postNotice = (store: Store, { to, at }: { to: ReturnType<typeof account>; at: number }): Promise<string> =>
  store
    .transaction()
    .execute((trx) => enqueueEmail(trx, { notice: 'password_changed', params: { when: at }, account: to, at }));

/** The same with a sign-in code. */
export const postCode = (store: Store, { to, at }: { to: ReturnType<typeof account>; at: number }): Promise<string> =>
  store.transaction().execute((trx) =>
    enqueueEmail(trx, {
      notice: 'sign_in_code',
      params: { code: '048217', device: 'Firefox, Windows', ip: '192.0.2.7', when: at },
      account: to,
      at,
      secrets,
    }),
  );

/** A sender that records each email, unless `before` throws. */
export function recordingSender(
  before: (mail: EmailMessage) => Promise<void> | void = () => undefined,
  check: () => Promise<string> = async () => 'kept',
) {
  const sent: EmailMessage[] = [];
  const sender: EmailSender = {
    async send(mail) {
      await before(mail);
      sent.push(mail);
      return '250 2.0.0 Ok: queued as 4bTkQ2';
    },
    takes: async () => true,
    check,
    close: async () => undefined,
  };
  return { sender, sent };
}

/** A worker that stops at the end of the test. */
export function runOutbox(deps: Omit<OutboxDeps, 'config' | 'secrets'>): Outbox {
  const outbox = startOutbox({ config: mailSettings, random: () => 0.5, secrets, ...deps });
  onTestFinished(() => outbox.stop());
  return outbox;
}

export const emailOf = (store: Store, id: string) =>
  store.selectFrom('outbox').selectAll().where('id', '=', id).executeTakeFirstOrThrow();

/** Waits until the worker fulfills an expectation. */
export const eventually = (expectation: () => Promise<void> | void): Promise<void> =>
  vi.waitFor(expectation, { timeout: minutes(2), interval: 10 });

const found = (pattern: RegExp, text: string): string => {
  const [, secret] = pattern.exec(text) ?? [];
  if (secret === undefined) throw new Error(`${pattern} is not in: ${text}`);
  return secret;
};

const resetHash = /reset-password\/\S+hash=([\w-]+)/;

/** Secrets in the newest emails to an address. */
export const secretsIn = (server: TestServer, email: string) => ({
  signInCode: async () => found(/^(\d{6})$/m, (await server.mailTo(email, /sign-in code/)).text),
  resetLink: async () => found(resetHash, (await server.mailTo(email, /new password/i)).text),
  /** Of an account that an operator created. */
  invitation: async () => found(resetHash, (await server.mailTo(email, /^Your new/)).text),
  /** Sent to the new address. */
  changeLink: async () =>
    found(/change-email\/\S+hash=([\w.-]+)/, (await server.mailTo(email, /Confirm your new email/)).text),
  /** Sent to the old address. */
  undoLink: async () =>
    found(/change-email\/\S+hash=(undo\.[\w-]+)/, (await server.mailTo(email, /email address was changed$/)).text),
});
