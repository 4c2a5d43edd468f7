import { isLoopbackHost } from '../../contract/loopback.ts';
import { SettingsError } from '../../contract/settings-error.ts';

/** How to reach a mail server, as nodemailer takes it. */
export interface SmtpServer {
  readonly host: string;
  readonly port: number;
  /** TLS from the first byte (`smtps:`), else STARTTLS. */
  readonly secure: boolean;
  /** Never in the clear: no server on another machine gets a mail with a live link in it without TLS. */
  readonly requireTLS: boolean;
  /** Whether the certificate has to be one that can be verified. */
  readonly verified: boolean;
  readonly auth?: { readonly user: string; readonly pass: string };
}

/**
 * Reads `SMTP_URL`: `smtp://user:password@host:587`, or `smtps://…:465` for TLS from the start. TLS is required and its
 * certificate verified; `?tls=optional` uses it only where the server offers it. To a relay on this machine nothing crosses a
 * wire, and its certificate can hardly ever be verified: there STARTTLS is used as it is offered, unless more is asked for.
 */
export function readSmtpUrl(setting: string): SmtpServer {
  refuseRawSigns(setting);
  const url = URL.parse(setting);
  const secure = url?.protocol === 'smtps:';
  if (!url?.hostname || !(secure || url.protocol === 'smtp:')) {
    throw new SettingsError(
      'SMTP_URL: must be smtp://host:port or smtps://host:port, with user:password@ if the server asks for it',
    );
  }
  if (!['', '/'].includes(url.pathname) || url.hash !== '' || url.port === '0') {
    throw new SettingsError('SMTP_URL: must end with the host or its port, but for ?tls=required and ?tls=optional');
  }
  if (url.password && !url.username) throw new SettingsError('SMTP_URL: has a password, but no user name before it');
  const tls = url.searchParams.get('tls') ?? 'default';
  if ([...url.searchParams.keys()].some((key) => key !== 'tls') || !['default', 'required', 'optional'].includes(tls)) {
    throw new SettingsError('SMTP_URL: knows only ?tls=required and ?tls=optional');
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

/** `URL` finds a host in `user@isp:password@host` and in `user:12/34@host`, but not the one that was meant. */
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
