import { createTransport } from 'nodemailer';
import { seconds } from '../../contract/durations.ts';
import { spellEmail } from '../../contract/email-address.ts';
import { email } from '../../contract/fields.ts';
import { automaticHeaders, type Mail, type MailSender, Undeliverable } from '../mail.ts';
import { asUndeliverable } from './smtp-refusal.ts';
import { readSmtpUrl, type SmtpServer } from './smtp-url.ts';
import { needsSmtpUtf8, openSmtpUtf8 } from './smtp-utf8.ts';

const usualLimits = {
  dnsTimeout: seconds(10),
  connectionTimeout: seconds(10),
  greetingTimeout: seconds(10),
  /** Silence of the server. */
  socketTimeout: seconds(20),
  /** Bounds a whole send, also to a server that drips its answers; shorter than the outbox's lease. */
  longestSend: seconds(45),
};

/** Sends mails to the server of `SMTP_URL`, over a few connections that stay open. Limits are in milliseconds. */
export function smtpSender(
  { SMTP_URL = '' }: { SMTP_URL?: string | undefined },
  limits: Partial<typeof usualLimits> = {},
): MailSender {
  const { longestSend, ...timeouts } = { ...usualLimits, ...limits };
  const read = readSmtpUrl(SMTP_URL);
  const server = {
    ...read,
    ...timeouts,
    tls: { minVersion: 'TLSv1.2', rejectUnauthorized: read.verified },
  } as const;
  const takesInternationalised = openSmtpUtf8(server);
  const transport = createTransport({
    ...server,
    pool: true,
    maxConnections: 4,
    // Once, for a connection that the server closed while it was idle; the outbox decides about more.
    maxRequeues: 1,
    disableFileAccess: true,
    disableUrlAccess: true,
  });

  return {
    async send(mail) {
      const to = spellEmail(mail.to);
      requireAddress(to);
      if (needsSmtpUtf8(to) && !(await takesInternationalised())) {
        throw new Undeliverable('The mail server takes no internationalised addresses (it does not offer SMTPUTF8)');
      }
      const signal = AbortSignal.timeout(longestSend);
      try {
        await transport.sendMail({ ...asMimeMessage({ ...mail, to }), signal });
      } catch (error) {
        throw asUndeliverable(error) ?? error;
      }
    },
    async examine() {
      await transport.verify();
      const { host, port, auth } = server;
      const tls = describeTls(server);
      return `${host}:${port}, ${tls}, ${auth ? 'authenticated' : 'no authentication'}`;
    },
    async close() {
      transport.close();
    },
  };
}

function describeTls({ secure, requireTLS, verified }: SmtpServer): string {
  if (secure || requireTLS) return 'TLS verified';
  return verified ? 'TLS verified where offered' : 'TLS where offered';
}

/** Only what the contract calls an address goes into an envelope or a header: one line, one mailbox. */
function requireAddress(address: string): void {
  const read = email.safeParse(address);
  if (!read.success || read.data !== address) throw new Undeliverable('The recipient is not an e-mail address');
}

const asMimeMessage = (mail: Mail) => ({
  messageId: mail.messageId,
  date: mail.date,
  // As objects: nodemailer then encodes the name and never looks for further addresses in it.
  from: mail.from,
  to: { name: '', address: mail.to },
  ...(mail.replyTo && { replyTo: { name: mail.from.name, address: mail.replyTo } }),
  envelope: { from: mail.from.address, to: [mail.to] },
  subject: mail.subject,
  text: mail.text,
  html: mail.html,
  headers: automaticHeaders(mail),
  xMailer: false as const,
});
