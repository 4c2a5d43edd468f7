import SMTPConnection, { type SMTPConnectionOptions } from 'nodemailer/lib/smtp-connection';
import type { SmtpServer } from './smtp-url.ts';

export type SmtpConnection = SMTPConnectionOptions & Pick<SmtpServer, 'auth'>;

/** A connection to a mail server, after its greeting and our sign-in. */
export interface Dialogue {
  /** The extensions in its response to EHLO, by keyword, as far as nodemailer knows them. */
  readonly extensions: readonly string[];
  /** Whether we signed in with a user and a password; false if the server offers no authentication. */
  readonly isSignedIn: boolean;
  /** Sends a command; throws unless the response has a 2xx status. */
  say(command: string): Promise<void>;
}

/** Our name for a custom authentication method: nodemailer's only hook for commands that it does not send itself. */
const asking = 'X-ASKING';

/** Opens a separate connection to the server, and calls `work` after EHLO, STARTTLS and sign-in. */
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
          // nodemailer finds no status in a response of several lines, or without text.
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

/** An error in nodemailer's own format. */
const refusedCommand = (command: string, { status, response }: { status: number; response: string }): Error =>
  Object.assign(new Error(`The mail server refuses ${verbOf(command)}: ${response}`), {
    command: verbOf(command),
    response,
    responseCode: status,
  });

const verbOf = (command: string): string => command.split(/[:\r]/, 1)[0] ?? '';
