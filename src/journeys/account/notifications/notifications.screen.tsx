import { useForm } from '../../../browser/forms/form.ts';
import { Paragraph } from '../../../browser/language/text.tsx';
import { sendRequest } from '../../../browser/requests/send-request.ts';
import { notifyAccountChanged } from '../../../browser/requests/session.ts';
import { browserTimeZone } from '../../../contract/fields/time.ts';
import { languages } from '../../../contract/languages.ts';
import { SubmitButton } from '../../../ui/button.tsx';
import { FormSaved } from '../../../ui/feedback/feedback.tsx';
import { FormProblems } from '../../../ui/feedback/form-problems.tsx';
import { Checkbox, SelectField } from '../../../ui/fields/choice-fields.tsx';
import { TimeZoneField } from '../../../ui/fields/time-zone-field.tsx';
import { Card, FormStack, Heading } from '../../../ui/layouts/card.tsx';
import { ButtonRow } from '../layout/rows.part.tsx';
import { type Account, Section } from '../layout/section.part.tsx';

/** The page where owners choose their emails, and the language and times of these. */
export default function NotificationsPage() {
  return <Section title="account_notifications.page">{(account) => <Notifications account={account} />}</Section>;
}

/** The emails that the owner can turn off, those that always arrive, and their language. */
function Notifications({ account }: { account: Account }) {
  const { locale, time_zone: timeZone, mail_new_device: notified } = account;
  const form = useForm({
    contract: () => import('../account.contract.ts'),
    schema: ({ accountChanges }) => accountChanges,
    initial: { mail_new_device: notified, locale: locale as string, time_zone: timeZone ?? browserTimeZone() ?? 'UTC' },
    async send({ changeAccount }, body, signal) {
      await sendRequest(changeAccount, { body, signal });
      notifyAccountChanged();
    },
  });
  return (
    <Card>
      <Heading text="account.emails" />
      <Paragraph id="account.emails_always" />
      <FormStack {...form.props}>
        <FormProblems form={form} />
        <Checkbox field={form.field('mail_new_device')} label="account.mail_new_device" />
        <SelectField field={form.field('locale')} label="account.language">
          {languages.map(({ code, tag, name: ownName }) => (
            <option key={code} value={code} lang={tag}>
              {ownName}
            </option>
          ))}
        </SelectField>
        <TimeZoneField field={form.field('time_zone')} />
        <ButtonRow>
          <SubmitButton label="account.save" narrow busy={form.busy ? 'form.wait' : undefined} retry={form.retry} />
          <FormSaved form={form} />
        </ButtonRow>
      </FormStack>
    </Card>
  );
}
