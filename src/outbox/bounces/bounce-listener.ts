import { SMTPServer, type SMTPServerDataStream } from 'smtp-server';
import { isLoopbackHost } from '../../contract/pages.ts';
import { readLike, SettingsError } from '../../contract/settings.ts';
import { minutes, seconds } from '../../contract/units.ts';
import type { Store } from '../../store/database.ts';
import { addEmailNote } from '../../store/emails/outbox.ts';
import { type BounceHandler, isReturnAddress, tokenIn } from './bounce-handler.ts';
import { readReport } from './read-report.ts';

/** The port on this machine that receives bounces. */
export interface OwnPort {
  /** LMTP (RFC 2033) has its own greeting; mail servers use it for local delivery. */
  readonly protocol: 'smtp' | 'lmtp';
  readonly host: string;
  readonly port: number;
}

const form = /^(?:(smtp|lmtp):\/\/)?(.+)$/;

function read(value: string): OwnPort | undefined {
  const [, protocol = 'smtp', place = ''] = form.exec(value) ?? [];
  const { hostname = '', port = '', host } = URL.parse(`tcp://${place}`) ?? {};
  if (!isLoopbackHost(hostname) || port === '' || host !== place) return undefined;
  return {
    protocol: protocol === 'lmtp' ? 'lmtp' : 'smtp',
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port),
  };
}

/** `BOUNCE_LISTEN`: `127.0.0.1:2525`, or `lmtp://127.0.0.1:2424`. */
export const ownPort = readLike(
  read,
  'must be a port on this machine, such as 127.0.0.1:2525 or lmtp://127.0.0.1:2424',
);

/** Bytes. A report quotes at most one of our emails. */
const largestReport = 256 * 1024;
const maxSessions = 10;
const longestVisit = minutes(3);

interface BounceListenerDeps extends OwnPort {
  readonly address: string;
  readonly store: Store;
  /** The id of the email that a token identifies; undefined if the token is not ours. */
  readonly emailIdOf: (token: string) => string | undefined;
  readonly returns: BounceHandler;
  readonly log: { warn(details: object, message: string): void };
}

export interface BounceListener {
  readonly port: number;
  close(): Promise<void>;
}

/**
 * Receives bounces of our own emails from the mail server on this machine, over SMTP or LMTP. Throws a `SettingsError`
 * if it cannot open the port.
 */
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
    maxClients: maxSessions,
    // Each report is about one email.
    maxRecipients: 1,
    socketTimeout: minutes(1),
    closeTimeout: seconds(1),
    logger: false,
    onRcptTo: ({ address: recipient }, _session, done) =>
      done(
        emailIdFor(recipient) === undefined && !isReturnAddress(address, recipient)
          ? refusal(550, '5.1.1 No email has this return address')
          : null,
      ),
    async onData(stream, { envelope }, done) {
      try {
        const raw = await readAll(stream);
        if (!raw) return done(refusal(552, '5.3.4 Too large for a report'));
        const [recipient] = envelope.rcptTo;
        await take(deps, { emailIdFor, recipient: recipient?.address ?? '', raw });
        done(null);
      } catch (error) {
        log.warn({ err: error }, 'cannot record a bounce');
        done(refusal(451, '4.3.0 Try again later'));
      }
    },
  });
  // A client that disconnects early is not our error.
  server.on('error', () => undefined);
  // The socket timeout does not stop a client that sends byte by byte.
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

const refusal = (responseCode: number, message: string): Error => Object.assign(new Error(message), { responseCode });

/**
 * Reads the whole message; undefined if it is too large. Discards the excess instead of refusing it, so that the client
 * does not send the message again.
 */
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
 * Records a report and drops any other message, since people do not reply to this address. Complaints come to the
 * address without a token: they quote the return path of their email.
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
