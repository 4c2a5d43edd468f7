import SMTPConnection, { type SMTPConnectionOptions } from 'nodemailer/lib/smtp-connection';
import { isLoopbackHost } from '../../contract/pages.ts';
import { SettingsError } from '../../contract/settings.ts';

/** How to reach a mail server, in nodemailer's form. */
export interface SmtpServer {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte (`smtps:`), else STARTTLS. */
  readonly secure: boolean;
  /** Requires STARTTLS: an email with a live link must not reach another machine unencrypted. */
  readonly requireTLS: boolean;
  /** Whether the certificate must be verifiable. */
  readonly verified: boolean;
  readonly auth?: { readonly user: string; readonly pass: string };
}

/**
 * Reads `SMTP_URL`: `smtp://user:password@host:587`, or `smtps://…:465` for TLS from the start. TLS is required and its
 * certificate verified; `?tls=optional` uses TLS only if the server offers it. Traffic to a relay on this machine never
 * crosses a wire, and its certificate can hardly ever be verified: there, STARTTLS is optional by default. Throws a
 * `SettingsError`.
 */
export function readSmtpUrl(setting: string): SmtpServer {
  refuseRawSigns(setting);
  const url = URL.parse(setting);
  const secure = url?.protocol === 'smtps:';
  if (!url?.hostname || !(secure || url.protocol === 'smtp:')) {
    throw new SettingsError(
      'SMTP_URL: must be smtp://host:port or smtps://host:port, with user:password@ if the server requires it',
    );
  }
  if (!['', '/'].includes(url.pathname) || url.hash !== '' || url.port === '0') {
    throw new SettingsError('SMTP_URL: must end with the host or its port, except for ?tls=required and ?tls=optional');
  }
  if (url.password && !url.username) throw new SettingsError('SMTP_URL: has a password, but no user name before it');
  const tls = url.searchParams.get('tls') ?? 'default';
  if ([...url.searchParams.keys()].some((key) => key !== 'tls') || !['default', 'required', 'optional'].includes(tls)) {
    throw new SettingsError('SMTP_URL: supports only ?tls=required and ?tls=optional');
  }
  const onThisMachine = tls === 'default' && isLoopbackHost(url.hostname);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  return {
    host,
    port: Number(url.port) || (secure ? 465 : 587),
    secure,
    requireTLS: !secure && (tls === 'required' || (tls === 'default' && !onThisMachine)),
    verified: secure || !onThisMachine,
    ...(url.username && { auth: { user: decode(url.username), pass: decode(url.password) } }),
  };
}

/** `URL` parses `user@isp:password@host` and `user:12/34@host`, but finds the wrong host. */
function refuseRawSigns(setting: string): void {
  const [, credentials = ''] = /^smtps?:\/\/(.*)@/i.exec(setting) ?? [];
  const sign = /[@/?#]/.exec(credentials)?.[0];
  if (sign === undefined) return;
  const named = sign === '@' ? 'an @' : `a ${sign}`;
  throw new SettingsError(
    `SMTP_URL: ${named} in the user name or the password must be written ${encodeURIComponent(sign)}`,
  );
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch (cause) {
    throw new SettingsError('SMTP_URL: a % in the user name or the password must be written %25', { cause });
  }
}

type SmtpConnection = SMTPConnectionOptions & Pick<SmtpServer, 'auth'>;

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
