import { createHmac, generateKeyPairSync, sign } from 'node:crypto';
import type { TestServer } from '../test-server.ts';
import { testSigningCertificate } from './certificates.ts';

/** A request as a relay sends it. */
export interface RelayPost {
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
}

/** Sends a relay's request to the service; returns the status. */
export async function post({ url }: TestServer, relay: string, { headers, body }: RelayPost): Promise<number> {
  const sent = { method: 'POST', headers: { 'content-type': 'application/json', ...headers }, body };
  return (await fetch(`${url}/mail/returned/${relay}`, sent)).status;
}

const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });

const topic = 'arn:aws:sns:eu-west-1:123456789012:returned-mail';
export const certificateUrl = 'https://sns.eu-west-1.amazonaws.com/SimpleNotificationService-0123456789abcdef.pem';
export const subscribeUrl = `https://sns.eu-west-1.amazonaws.com/?Action=ConfirmSubscription&TopicArn=${topic}&Token=t0ken`;
const mailgunKey = 'a-signing-key-of-mailgun';
const postmarkAuth = 'postmark:a-password-of-our-own';

/** The settings as an operator writes them. */
export const relaySettings = {
  BOUNCE_SES_TOPIC: topic,
  BOUNCE_POSTMARK_AUTH: postmarkAuth,
  BOUNCE_MAILGUN_KEY: mailgunKey,
  BOUNCE_SENDGRID_KEY: publicKey.export({ type: 'spki', format: 'der' }).toString('base64'),
};

const inSeconds = (at: number): string => String(Math.floor(at / 1000));

let events = 0;
const newId = (): string => {
  events += 1;
  return `event-${events}`;
};

export interface RelayEvent {
  readonly email: string;
  readonly at?: number;
  readonly id?: string;
}

/** A webhook request from Mailgun, with this event. */
export function mailgunPost(event: object, { email, at = Date.now(), id = newId() }: RelayEvent): RelayPost {
  const timestamp = inSeconds(at);
  const token = id.padEnd(50, '0');
  const signature = createHmac('sha256', mailgunKey)
    .update(timestamp + token)
    .digest('hex');
  const status = { code: 550, message: `5.1.1 The email account ${email} does not exist` };
  return {
    body: JSON.stringify({
      signature: { timestamp, token, signature },
      'event-data': { id, recipient: email, 'delivery-status': status, ...event },
    }),
  };
}

/** A webhook request from SendGrid, with a batch of events. */
export function sendgridPost(batch: readonly object[], { email, at = Date.now(), id }: RelayEvent): RelayPost {
  const timestamp = inSeconds(at);
  const body = JSON.stringify(batch.map((event) => ({ email, sg_event_id: id ?? newId(), ...event })));
  return {
    headers: {
      'x-twilio-email-event-webhook-signature': sign('sha256', Buffer.from(timestamp + body), privateKey).toString(
        'base64',
      ),
      'x-twilio-email-event-webhook-timestamp': timestamp,
    },
    body,
  };
}

/** A webhook request from Postmark. */
export function postmarkPost(event: object, { email, id = newId() }: RelayEvent): RelayPost {
  return {
    headers: { authorization: `Basic ${Buffer.from(postmarkAuth).toString('base64')}` },
    body: JSON.stringify({
      RecordType: 'Bounce',
      ID: Number(id.replace(/\D/g, '')),
      Email: email,
      Details: '',
      ...event,
    }),
  };
}

/** A bounce from Amazon SES. */
export const sesBounce = (bounceType: string, { email, id = newId() }: RelayEvent) => ({
  notificationType: 'Bounce',
  bounce: {
    bounceType,
    bounceSubType: 'General',
    bouncedRecipients: [{ emailAddress: email, status: '5.1.1', action: 'failed', diagnosticCode: 'smtp; 550 5.1.1' }],
    feedbackId: id,
  },
});

export const sesComplaint = (complaintFeedbackType: string, { email, id = newId() }: RelayEvent) => ({
  notificationType: 'Complaint',
  complaint: { complainedRecipients: [{ emailAddress: email }], complaintFeedbackType, feedbackId: id },
});

/** A request from Amazon SNS, signed as documented; the signature covers `changes`, but not `after`. */
export function snsPost(message: unknown, changes: Record<string, string> = {}, after: object = {}): RelayPost {
  const known: Record<string, string> = {
    Type: 'Notification',
    MessageId: newId(),
    TopicArn: topic,
    Message: typeof message === 'string' ? message : JSON.stringify(message),
    Timestamp: new Date().toISOString(),
    SignatureVersion: '2',
    SigningCertURL: certificateUrl,
    ...changes,
  };
  const fields = ['Message', 'MessageId', 'Subject', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'];
  const signed = fields.map((name) => (known[name] === undefined ? '' : `${name}\n${known[name]}\n`)).join('');
  const hash = known.SignatureVersion === '1' ? 'sha1' : 'sha256';
  const Signature = sign(hash, Buffer.from(signed), testSigningCertificate.key).toString('base64');
  return {
    headers: { 'content-type': 'text/plain; charset=UTF-8' },
    body: JSON.stringify({ ...known, Signature, ...after }),
  };
}
