import { dashboardButton } from '../email/dashboard-button.ts';
import { type EmailContent, type EmailContext, paragraph } from '../email/email-content.ts';

/** Shows owners that alarms reach them; `when` in ms since the epoch. */
export const alarmTest = (context: EmailContext, { when }: { readonly when: number }): EmailContent => {
  const { say, product, dateTime } = context;
  return {
    subject: say('mail.alarm_test.subject', { product: product.name }),
    body: [
      paragraph(say('mail.alarm_test.lead', { when: dateTime(when) })),
      dashboardButton(context),
      paragraph(say('mail.alarm.settings')),
    ],
  };
};
