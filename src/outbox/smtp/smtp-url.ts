import { isLoopbackHost } from '../../contract/loopback.ts';
import { SettingsError } from '../../contract/settings-error.ts';

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
