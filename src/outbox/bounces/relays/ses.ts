import { verify, X509Certificate } from 'node:crypto';
import * as z from 'zod/mini';
import { Failure } from '../../../contract/failures.ts';
import { seconds } from '../../../contract/units.ts';
import { BoundedMap } from '../../../runtime/bounded-map.ts';
import type { BounceReport } from '../bounce-handler.ts';
import { address, forged, id, kindOfBounce, type Relay, readAs, refuseReplay, words } from './relay.ts';

/** https://docs.aws.amazon.com/ses/latest/dg/notification-contents.html; published events use `eventType` instead. */
const event = z.object({ notificationType: words, eventType: words });
const bounce = z.object({
  bounce: z.object({
    bounceType: z.string(),
    feedbackId: id,
    bouncedRecipients: z.array(z.object({ emailAddress: address, status: words, diagnosticCode: words })),
  }),
});
const complaint = z.object({
  complaint: z.object({
    feedbackId: id,
    complaintFeedbackType: words,
    complainedRecipients: z.array(z.object({ emailAddress: address })),
  }),
});

/** Bytes. Amazon SNS sends at most 256 KiB, and we must parse it before we can verify the signature. */
const largestMessage = 256 * 1024;

/** Amazon SES, which reports bounces and complaints through an Amazon SNS topic. */
export function ses(topic: string, download: Download): Relay {
  const readMessage = openSns({ topic, download });
  return {
    name: 'ses',
    largestBody: largestMessage,
    async read({ body, now }) {
      const message = await readMessage(body.toString(), now);
      if (message.Type === 'SubscriptionConfirmation') await confirmSubscription({ topic, download }, message);
      return message.Type === 'Notification' ? returnedIn(message.Message) : [];
    },
  };
}

function returnedIn(message: string): BounceReport[] {
  // Amazon sends a plain sentence to a new topic.
  if (!message.startsWith('{')) return [];
  const { notificationType, eventType } = readAs(event, message);
  const type = notificationType || eventType;
  if (type === 'Bounce') return bouncesIn(message);
  return type === 'Complaint' ? complaintsIn(message) : [];
}

function bouncesIn(message: string): BounceReport[] {
  const { bounceType, feedbackId, bouncedRecipients } = readAs(bounce, message).bounce;
  return bouncedRecipients.map(({ emailAddress: email, status, diagnosticCode }, at) => ({
    id: `${feedbackId}:${at}`,
    by: 'ses',
    kind: bounceType === 'Permanent' ? kindOfBounce(status, diagnosticCode) : 'refused',
    email,
    detail: diagnosticCode || status,
  }));
}

function complaintsIn(message: string): BounceReport[] {
  const { feedbackId, complaintFeedbackType, complainedRecipients } = readAs(complaint, message).complaint;
  // The recipient corrects their spam filter.
  if (complaintFeedbackType === 'not-spam') return [];
  return complainedRecipients.map(({ emailAddress: email }, at) => ({
    id: `${feedbackId}:${at}`,
    by: 'ses',
    kind: 'complaint',
    email,
    detail: complaintFeedbackType,
  }));
}

/** Downloads a text; throws if the response is an error or does not arrive in time. */
export type Download = (url: string) => Promise<string>;

const text = z.string();
const notification = z.object({
  Type: z.enum(['Notification', 'SubscriptionConfirmation', 'UnsubscribeConfirmation']),
  Message: text,
  MessageId: id,
  Subject: z.optional(text),
  SubscribeURL: z.optional(text),
  Timestamp: text,
  Token: z.optional(text),
  TopicArn: text,
  SignatureVersion: z.enum(['1', '2']),
  Signature: text,
  SigningCertURL: text,
});

type SnsMessage = z.output<typeof notification>;

/**
 * Signed fields, in this order
 * (https://docs.aws.amazon.com/sns/latest/dg/sns-verify-signature-of-message-verify-message-signature.html).
 */
const signedFields = {
  Notification: ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type'],
  SubscriptionConfirmation: ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'],
  UnsubscribeConfirmation: ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'],
} as const;

/** Hash of each signature version. */
const hashes = { 1: 'sha1', 2: 'sha256' } as const;

const maxCertificates = 5;
/** Limits downloads, since strangers can name any number of certificates. */
const askEvery = seconds(1);

interface Topic {
  /** Its ARN. */
  readonly topic: string;
  readonly download: Download;
}

/**
 * Reads messages of one Amazon SNS topic and verifies their signature with a certificate from Amazon's host in the
 * topic's region. Throws a `Failure`.
 */
function openSns({ topic, download }: Topic): (body: string, now: number) => Promise<SnsMessage> {
  const certificates = new BoundedMap<string, Promise<X509Certificate>>(maxCertificates);
  let askedAt = Number.NEGATIVE_INFINITY;

  function certificateAt(url: string): Promise<X509Certificate> {
    const known = certificates.get(url);
    if (known) return known;
    if (performance.now() - askedAt < askEvery) throw new Failure('try_again_later', { retryAfter: 2 });
    askedAt = performance.now();
    const certificate = download(url).then(readCertificate);
    certificates.set(url, certificate);
    certificate.catch(() => certificates.delete(url));
    return certificate;
  }

  return async (body, now) => {
    // Refuse a body without the topic before parsing it.
    if (!body.includes(topic)) throw forged();
    const message = readAs(notification, body);
    if (message.TopicArn !== topic || !isCertificateOf(topic, message.SigningCertURL)) throw forged();
    const certificate = await certificateAt(message.SigningCertURL);
    const isValid = now >= certificate.validFromDate.getTime() && now <= certificate.validToDate.getTime();
    const signature = Buffer.from(message.Signature, 'base64');
    const signed = Buffer.from(stringToSign(message));
    const isAmazons = isValid && verify(hashes[message.SignatureVersion], signed, certificate.publicKey, signature);
    if (!isAmazons) throw forged();
    refuseReplay(Date.parse(message.Timestamp), now);
    return message;
  };
}

const stringToSign = (message: SnsMessage): string =>
  signedFields[message.Type].map((name) => (message[name] === undefined ? '' : `${name}\n${message[name]}\n`)).join('');

function readCertificate(pem: string): X509Certificate {
  try {
    return new X509Certificate(pem);
  } catch (error) {
    throw forged(error);
  }
}

/** Amazon's own host in the topic's region; anyone may own another host of `amazonaws.com`. */
function hostOf(topic: string): string {
  const [, partition, , region] = topic.split(':');
  return `sns.${region}.amazonaws.com${partition === 'aws-cn' ? '.cn' : ''}`;
}

function isCertificateOf(topic: string, url: string): boolean {
  const { protocol, host, pathname, search, username } = URL.parse(url) ?? {};
  return (
    protocol === 'https:' &&
    host === hostOf(topic) &&
    search === '' &&
    username === '' &&
    /^\/[\w-]+\.pem$/.test(pathname ?? '')
  );
}

/** Confirms to Amazon that this service subscribes to the topic. The signature covers the URL. */
async function confirmSubscription({ topic, download }: Topic, { SubscribeURL = '' }: SnsMessage): Promise<void> {
  const { protocol, host, username } = URL.parse(SubscribeURL) ?? {};
  if (protocol !== 'https:' || host !== hostOf(topic) || username !== '') throw forged();
  await download(SubscribeURL);
}
