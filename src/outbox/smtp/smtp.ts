import { isIP } from 'node:net';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { createTransport, type Transporter } from 'nodemailer';
import { email, spellEmail } from '../../contract/fields/fields.ts';
import { minutes, seconds } from '../../contract/units.ts';
import { automaticHeaders, type EmailMessage, type EmailSender, Undeliverable } from '../compose.ts';
import { inALabels } from '../domains/addresses.ts';
import { asOutcome, asServerFault, asUnacknowledged } from '../refusals.ts';
import { readDkim, withDkimSignature } from './dkim.ts';
import { converse, type Dialogue, readSmtpUrl, type SmtpServer } from './smtp-dialogue.ts';

export const usualLimits = {
  dnsTimeout: seconds(10),
  connectionTimeout: seconds(10),
  greetingTimeout: seconds(10),
  /** Silence of the server. */
  socketTimeout: seconds(20),
  /**
   * Limits a whole send, even to a server that drips its responses. Together with a check, it is shorter than
   * the outbox's lease.
   */
  longestSend: seconds(40),
  longestCheck: seconds(15),
};

interface SmtpSettings {
  readonly SMTP_URL?: string | undefined;
  readonly PUBLIC_URL: string;
  readonly DKIM_KEY?: string | undefined;
  readonly DKIM_SELECTOR?: string | undefined;
}

/**
 * Sends emails to the server of `SMTP_URL` over a few persistent connections. Limits are in milliseconds. Throws a
 * `SettingsError`.
 */
export function smtpSender(
  { SMTP_URL = '', PUBLIC_URL, ...settings }: SmtpSettings,
  limits: Partial<typeof usualLimits> = {},
): EmailSender {
  const { longestSend, longestCheck, ...timeouts } = { ...usualLimits, ...limits };
  const read = readSmtpUrl(SMTP_URL);
  const dkim = readDkim(settings);
  const { verified, ...server } = read;
  const connection = {
    ...server,
    ...timeouts,
    name: ehloName(PUBLIC_URL),
    // If TLS is optional, a server that offers STARTTLS and then refuses it counts as one without TLS.
    opportunisticTLS: !read.requireTLS,
    tls: { minVersion: 'TLSv1.2', rejectUnauthorized: verified },
  } as const;
  const closing = new AbortController();
  const within = (milliseconds: number) => AbortSignal.any([AbortSignal.timeout(milliseconds), closing.signal]);
  const talk = <Result>(work: (dialogue: Dialogue) => Promise<Result>) =>
    converse(connection, within(longestCheck), work).catch((error: unknown) => {
      throw asServerFault(error);
    });
  const takesInternationalized = openSmtpUtf8(() => talk(async ({ extensions }) => extensions));
  const transport = createTransport({
    ...connection,
    pool: true,
    maxConnections: 4,
    // One retry, for a connection that the server closed while it was idle; the outbox decides on further ones.
    maxRequeues: 1,
    disableFileAccess: true,
    disableUrlAccess: true,
  });

  const handovers = new WeakMap<AbortSignal, Handover>();
  watchHandovers(transport, handovers);

  return {
    async send(mail) {
      const to = spellEmail(mail.to);
      requireAddress(to);
      // Covers everything: the check for SMTPUTF8 may take as long as another check, and the lease runs meanwhile.
      const signal = within(longestSend);
      if (needsSmtpUtf8(to) && !(await takesInternationalized())) {
        throw new Undeliverable(
          'The mail server does not accept internationalized addresses (it does not offer SMTPUTF8)',
        );
      }
      const handover: Handover = {
        isWhole: false,
        finish: (message) =>
          dkim ? withDkimSignature(message, { ...dkim, domain: domainOf(mail.from.address) }) : message,
      };
      handovers.set(signal, handover);
      try {
        const { response } = await transport.sendMail({ ...asMimeMessage({ ...mail, to }), signal });
        return response;
      } catch (error) {
        // If we aborted the send, the silence is not the server's.
        const isSilence = handover.isWhole && !closing.signal.aborted;
        throw isSilence ? asUnacknowledged(error) : asOutcome(error);
      }
    },
    takes: async (address) => !needsSmtpUtf8(address) || takesInternationalized(),
    async check({ from, to }) {
      const signedIn = await talk(async ({ say, isSignedIn }) => {
        await say(`MAIL FROM:<${inALabels(from)}>`);
        if (to !== undefined) await say(`RCPT TO:<${inALabels(to)}>`);
        await say('RSET');
        return isSignedIn;
      });
      const { host, port, auth } = read;
      const refusesAuth = auth ? 'no authentication, since the server offers none' : 'no authentication';
      return `${host}:${port}, ${describeTls(read)}, ${signedIn ? 'authenticated' : refusesAuth}`;
    },
    async close() {
      closing.abort(new Error('The service is stopping'));
      transport.close();
    },
  };
}

/** DMARC requires a signature by the domain that people see (RFC 7489, section 3.1.1). */
const domainOf = (address: string): string => inALabels(address).slice(address.lastIndexOf('@') + 1);

/** Our name in EHLO: a relay may refuse a bare IP address or "localhost" (RFC 5321, section 4.1.4). */
function ehloName(publicUrl: string): string {
  const { hostname } = new URL(publicUrl);
  const address = hostname.replace(/^\[|\]$/g, '');
  if (isIP(address) === 6) return `[IPv6:${address}]`;
  return isIP(address) === 4 ? `[${address}]` : hostname;
}

function describeTls({ secure, requireTLS, verified }: SmtpServer): string {
  if (secure || requireTLS) return 'TLS verified';
  return verified ? 'TLS verified where offered' : 'TLS where offered';
}

/** Only an address that the contract accepts goes into an envelope or a header: one line, one mailbox. */
function requireAddress(address: string): void {
  const read = email.safeParse(address);
  if (!read.success || read.data !== address) throw new Undeliverable('The recipient is not an email address');
}

const asMimeMessage = (mail: EmailMessage) => ({
  messageId: mail.messageId,
  date: mail.date,
  // Objects, so that nodemailer encodes the name and never parses addresses in it.
  from: mail.from,
  to: { name: '', address: mail.to },
  ...(mail.replyTo && { replyTo: { name: mail.from.name, address: mail.replyTo } }),
  envelope: { from: mail.returnPath, to: [mail.to] },
  subject: mail.subject,
  text: mail.text,
  html: mail.html,
  headers: automaticHeaders(mail),
  xMailer: false as const,
});

/** Whether an address needs RFC 6531: every domain has an ASCII form, but the part before the @ does not. */
const needsSmtpUtf8 = (address: string): boolean => /\P{ASCII}/u.test(address.slice(0, address.lastIndexOf('@')));

/** An operator can switch to a better server without restarting us. */
const askAgainAfter = minutes(5);

/**
 * Checks whether the server supports such addresses. nodemailer sends them to any server, and a server without support
 * may respond with anything, or accept the email and lose it.
 */
function openSmtpUtf8(extensionsOf: () => Promise<readonly string[]>): () => Promise<boolean> {
  let known = { at: Number.NEGATIVE_INFINITY, offered: false };
  return async () => {
    if (performance.now() - known.at > askAgainAfter) {
      known = { offered: (await extensionsOf()).includes('SMTPUTF8'), at: performance.now() };
    }
    return known.offered;
  };
}

/** One email during its transfer to the server. */
interface Handover {
  /** The server has received all of it: from now on it may have stored it, whatever happens to the connection. */
  isWhole: boolean;
  /** Returns the message to transfer, for example with a signature. */
  readonly finish: (message: Buffer) => Buffer;
}

/** Records when the server has received all of an email: nodemailer's errors do not include this. */
function watchHandovers(
  transport: Pick<Transporter, 'use'>,
  handovers: Pick<WeakMap<AbortSignal, Handover>, 'get'>,
): void {
  transport.use('stream', (mail, done) => {
    const handover = mail.data.signal && handovers.get(mail.data.signal);
    if (handover) mail.message.processFunc((input: Readable) => Readable.from(handOver(input, handover)));
    done();
  });
}

/** Reads the message only when the server requests the data; a transform would read ahead. */
async function* handOver(input: Readable, handover: Handover): AsyncGenerator<Buffer> {
  yield handover.finish(await buffer(input));
  handover.isWhole = true;
}
