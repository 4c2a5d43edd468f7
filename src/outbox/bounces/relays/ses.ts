import * as z from 'zod/mini';
import type { BounceReport } from '../bounce-handler.ts';
import { address, id, kindOfBounce, type Relay, readAs, words } from './relay.ts';
import { confirmSubscription, type Download, openSns } from './sns.ts';

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
