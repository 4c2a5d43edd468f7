import SMTPConnection, { type SMTPConnectionOptions } from 'nodemailer/lib/smtp-connection';
import type { SmtpServer } from './smtp-url.ts';

export type SmtpConnection = SMTPConnectionOptions & Pick<SmtpServer, 'auth'>;

/** A mail server that has greeted us and knows who we are. */
export interface Dialogue {
  /** What its answer to EHLO offered, by keyword, as far as nodemailer knows it. */
  readonly extensions: readonly string[];
  /** Whether it knows us by a user and a password; one that offers no sign-in does not. */
  readonly isSignedIn: boolean;
  /** Its answer to a command; throws when that is not of the kind 2xx. */
  say(command: string): Promise<void>;
}

/** Our own name for what nodemailer takes to be an authentication method: its one door to commands that it does not send itself. */
const asking = 'X-ASKING';

/** Talks with the server on a connection of its own, after EHLO, STARTTLS and the sign-in. */
export async function converse<Result>(
  { auth, ...server }: SmtpConnection,
  signal: AbortSignal,
  work: (dialogue: Dialogue) => Promise<Result>,
): Promise<Result> {
  const outcome = Promise.withResolvers<Result>();
  const connection = new SMTPConnection({
    ...server,
    customAuth: {
      async [asking]({ sendCommand, extensions }) {
        const say = async (command: string) => {
          const { response } = await sendCommand(command);
          // nodemailer reads no status in an answer of several lines, nor in one without words.
          const status = Number(/^\d{3}/.exec(response)?.[0] ?? 0);
          if (status < 200 || status > 299) throw refusedCommand(command, { status, response });
        };
        await work({ extensions, say, isSignedIn: Boolean(auth && connection.allowsAuth) }).then(
          outcome.resolve,
          outcome.reject,
        );
      },
    },
  });
  const fail = (error: unknown) => outcome.reject(error);
  const onAbort = () => fail(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  connection.on('error', fail);
  connection.on('end', () => fail(new Error('The mail server closed the connection')));
  const ask = (error?: Error | null) => (error ? fail(error) : connection.login({ method: asking }, () => undefined));
  connection.connect((error) => {
    if (error) return fail(error);
    if (auth && connection.allowsAuth) return connection.login(auth, ask);
    return ask();
  });
  if (signal.aborted) onAbort();
  try {
    return await outcome.promise;
  } finally {
    signal.removeEventListener('abort', onAbort);
    connection.close();
  }
}

/** In the form that nodemailer gives its own. */
const refusedCommand = (command: string, { status, response }: { status: number; response: string }): Error =>
  Object.assign(new Error(`The mail server refuses ${verbOf(command)}: ${response}`), {
    command: verbOf(command),
    response,
    responseCode: status,
  });

const verbOf = (command: string): string => command.split(/[:\r]/, 1)[0] ?? '';
