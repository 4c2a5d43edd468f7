import { SMTPServer, type SMTPServerDataStream } from 'smtp-server';
import { minutes, seconds } from '../../contract/durations.ts';
import { SettingsError } from '../../contract/settings-error.ts';
import type { Store } from '../../store/database.ts';
import { addEmailNote } from '../../store/emails/outbox.ts';
import type { BounceHandler } from './bounce-handler.ts';
import type { OwnPort } from './own-port.ts';
import { readReport } from './read-report.ts';
import { isReturnAddress, tokenIn } from './return-address.ts';

/** A report quotes one letter of ours at most. */
const largestReport = 256 * 1024;
const atOnce = 10;
const longestVisit = minutes(3);

interface BounceListenerDeps extends OwnPort {
  /** The setting `BOUNCE_ADDRESS`. */
  readonly address: string;
  readonly store: Store;
  /** The letter that a token names, if it is one of ours. */
  readonly emailIdOf: (token: string) => string | undefined;
  readonly returns: BounceHandler;
  readonly log: { warn(details: object, message: string): void };
}

export interface BounceListener {
  readonly port: number;
  close(): Promise<void>;
}

/** Takes reports of mails that came back from the mail server of the same machine, over SMTP or LMTP: for our own letters alone. */
export async function listenForBounces(deps: BounceListenerDeps): Promise<BounceListener> {
  const { protocol, host, port, address, emailIdOf, log } = deps;
  const emailIdFor = (recipient: string) => emailIdOf(tokenIn(address, recipient) ?? '');
  const server = new SMTPServer({
    lmtp: protocol === 'lmtp',
    authOptional: true,
    disabledCommands: ['AUTH', 'STARTTLS'],
    disableReverseLookup: true,
    banner: 'returned mail only',
    size: largestReport,
    maxClients: atOnce,
    // A report is about one letter.
    maxRecipients: 1,
    socketTimeout: minutes(1),
    closeTimeout: seconds(1),
    logger: false,
    onRcptTo: ({ address: recipient }, _session, done) =>
      done(
        emailIdFor(recipient) === undefined && !isReturnAddress(address, recipient)
          ? answer(550, '5.1.1 This is the address of no letter')
          : null,
      ),
    async onData(stream, { envelope }, done) {
      try {
        const raw = await readAll(stream);
        if (!raw) return done(answer(552, '5.3.4 No report is as large as that'));
        const [recipient] = envelope.rcptTo;
        await take(deps, { emailIdFor, recipient: recipient?.address ?? '', raw });
        done(null);
      } catch (error) {
        log.warn({ err: error }, 'a report of returned mail could not be noted');
        done(answer(451, '4.3.0 Try again later'));
      }
    },
  });
  // A client that leaves in the middle is no fault of ours.
  server.on('error', () => undefined);
  // Whoever drips is never silent.
  server.server.on('connection', (socket) => {
    const over = setTimeout(() => socket.destroy(), longestVisit);
    socket.once('close', () => clearTimeout(over));
  });
  await new Promise<void>((resolve, reject) => {
    server.server.once('error', (cause) => reject(new SettingsError(`BOUNCE_LISTEN: ${cause.message}`, { cause })));
    server.listen(port, host, resolve);
  });
  const bound = server.server.address();
  return {
    port: typeof bound === 'object' && bound ? bound.port : port,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
}

const answer = (responseCode: number, message: string): Error => Object.assign(new Error(message), { responseCode });

/** The whole of it, or undefined where it is too large: what is over is read and thrown away, else it would be sent again. */
async function readAll(stream: SMTPServerDataStream): Promise<Uint8Array | undefined> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stream) {
    size += (chunk as Uint8Array).length;
    if (size <= largestReport) chunks.push(chunk as Uint8Array);
  }
  return size > largestReport ? undefined : Buffer.concat(chunks);
}

interface Arrived {
  readonly emailIdFor: (recipient: string) => string | undefined;
  readonly recipient: string;
  readonly raw: Uint8Array;
}

/**
 * Takes what arrived, and forgets it where it is no report, since nobody sends a reply to it. The address without a token is
 * for complaints, which quote the return path of the letter that they are about.
 */
async function take({ store, returns }: BounceListenerDeps, { emailIdFor, recipient, raw }: Arrived): Promise<void> {
  const report = await readReport(raw);
  const id = emailIdFor(recipient) ?? emailIdFor(report.returnPath ?? '');
  if (id === undefined) return;
  const email = await store.selectFrom('outbox').select('recipient').where('id', '=', id).executeTakeFirst();
  const found = email?.recipient ? report.about(email.recipient) : undefined;
  if (!email || !found) return;
  await returns.take([{ id: `${id}:${found.kind}`, by: 'dsn', email: email.recipient, ...found }]);
  await addEmailNote(store, { id, note: `Came back: ${found.detail}` });
}
