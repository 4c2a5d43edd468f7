import type { AddressInfo, Socket } from 'node:net';
import PostalMime, { type Email } from 'postal-mime';
import { SMTPServer, type SMTPServerOptions } from 'smtp-server';

/** An email received over SMTP. */
export interface ReceivedEmail {
  readonly mail: Email;
  /** The message as received. */
  readonly raw: string;
  readonly envelope: { readonly from: string; readonly to: readonly string[] };
  /** Whether the server has accepted it. */
  acknowledged: boolean;
}

export interface MailServer {
  readonly port: number;
  /** All emails received in full, acknowledged or not. */
  readonly arrived: readonly ReceivedEmail[];
  /** Number of connections since the start. */
  connections(): number;
  close(): Promise<void>;
}

/** How the server responds to an email; by default it acknowledges it. */
type SmtpReply = (acknowledge: (refusal?: Error) => void, cut: () => void) => void;

export interface MailServerOptions extends SMTPServerOptions {
  readonly reply?: SmtpReply;
  /** Reuses the port of an earlier server. */
  readonly port?: number;
}

/** A real SMTP server on this machine. Tests and drills share it, so it depends on neither. */
export async function openMailServer({
  reply = (acknowledge) => acknowledge(),
  port = 0,
  ...options
}: MailServerOptions = {}): Promise<MailServer> {
  const arrived: ReceivedEmail[] = [];
  const sockets = new Set<Socket>();
  let connections = 0;
  const cut = () => {
    for (const socket of sockets) socket.destroy();
  };
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ['AUTH', 'STARTTLS'],
    disableReverseLookup: true,
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on('data', (chunk: Buffer) => chunks.push(chunk));
      stream.on('end', async () => {
        const raw = Buffer.concat(chunks);
        const from = session.envelope.mailFrom ? session.envelope.mailFrom.address : '';
        const to = session.envelope.rcptTo.map(({ address }) => address);
        const mail = await PostalMime.parse(raw);
        const one: ReceivedEmail = { mail, raw: raw.toString('utf8'), envelope: { from, to }, acknowledged: false };
        arrived.push(one);
        reply((refusal) => {
          one.acknowledged = refusal === undefined;
          done(refusal);
        }, cut);
      });
    },
    ...options,
  });
  // A client that gives up, or that a test disconnects, is not a server error.
  server.on('error', () => undefined);
  server.server.on('connection', (socket) => {
    connections += 1;
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  let closing: Promise<void> | undefined;
  const close = () => {
    closing ??= new Promise<void>((resolve) => {
      server.close(resolve);
      cut();
    });
    return closing;
  };
  return { port: (server.server.address() as AddressInfo).port, arrived, connections: () => connections, close };
}

/** An SMTP refusal with its status code. */
export const refusal = (responseCode: number, message: string): Error =>
  Object.assign(new Error(message), { responseCode });
