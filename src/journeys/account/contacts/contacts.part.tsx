import { useForm, useWrongPassword } from '../../../browser/forms/form.ts';
import { Text } from '../../../browser/language/text.tsx';
import { usePage } from '../../../browser/navigation/page.tsx';
import { RequestFailure } from '../../../browser/requests/request-status.ts';
import { sendRequest } from '../../../browser/requests/send-request.ts';
import { notifyAccountChanged } from '../../../browser/requests/session.ts';
import { FormProblems } from '../../../ui/feedback/form-problems.tsx';
import { EmailField } from '../../../ui/fields/email-field.tsx';
import { PasswordField } from '../../../ui/fields/password-fields.tsx';
import { readTypedPhone, useAssumedRegion } from '../../../ui/fields/phone-field.tsx';
import { FormStack } from '../../../ui/layouts/card.tsx';
import { ConfirmedPhone } from '../../confirm-phone/confirm-phone.part.tsx';
import { checkPhone, useConfirmPhone } from '../../confirm-phone/use-confirm-phone.part.ts';
import { FormButtons, Remark } from '../layout/rows.part.tsx';
import type { Account } from '../layout/section.part.tsx';

interface AskEmailProps {
  account: Account;
  /** The address of a change that waits for its link: the form then sends another one. */
  pending: string;
  draft: string | undefined;
  /** The account has a second step, so a dialog asks for it instead of the password. */
  provesFirst: boolean;
  done: () => void;
  cancel: () => void;
}

/** Requests a change of address, which needs a confirmation with the link sent to the new address. */
export function AskEmail({ account, pending, draft, provesFirst, done, cancel }: AskEmailProps) {
  const form = useForm({
    contract: () => import('./change-email.contract.ts'),
    schema: ({ emailChange }) => emailChange(provesFirst),
    initial: { email: pending, email_password: '' },
    draft,
    async send({ requestEmailChange }, { email, email_password: password }, signal) {
      await sendRequest(requestEmailChange, { body: provesFirst ? { email } : { email, password }, signal });
      notifyAccountChanged();
      done();
    },
  });
  useWrongPassword(form, 'email_password');
  return (
    <FormStack {...form.props}>
      <Remark>
        <Text id="account.email_now" values={{ email: account.email }} />
      </Remark>
      <FormProblems form={form} />
      <EmailField
        field={form.field('email')}
        label="label.email_new"
        autoComplete="email"
        onUse={(use) => form.set('email', use)}
      />
      {!provesFirst && (
        <PasswordField
          field={form.field('email_password')}
          label="account.current_password"
          autoComplete="current-password"
        />
      )}
      <FormButtons form={form} label="account.change_email" cancel={cancel} />
    </FormStack>
  );
}

interface ChangePhoneProps {
  account: Account;
  draft: string | undefined;
  done: () => void;
  cancel: () => void;
}

const labels = { phone: 'label.phone' } as const;

/** Changes the phone number, which is confirmed as at registration; its confirmation saves it. */
export function ChangePhone({ account, draft, done, cancel }: ChangePhoneProps) {
  const { email, phone: current, phone_written } = account;
  const { phoneConfirmation } = usePage().settings;
  const assumed = useAssumedRegion(current);
  const form = useForm({
    contract: () => import('../account.contract.ts'),
    schema: ({ changePhone }) => changePhone.body,
    initial: { phone: '', phone_region: '', phone_confirmation: '' },
    draft,
    asyncCheck: (typed) => checkPhone(typed, { region: typed.phone_region || assumed, phoneConfirmation }),
    async send({ changePhone }, body, signal) {
      const phone = (await readTypedPhone(body.phone, region)) ?? body.phone;
      await sendRequest(changePhone, { body: { ...body, phone }, signal }).catch((failure: unknown) => {
        // The confirmation may have expired.
        if (failure instanceof RequestFailure && failure.fields.some(({ field }) => field === 'phone_confirmation'))
          confirmation.forget();
        throw failure;
      });
      confirmation.finish();
      notifyAccountChanged();
      done();
    },
  });
  const region = form.field('phone_region').value || assumed;
  const confirmation = useConfirmPhone({
    field: form.field('phone_confirmation'),
    phone: form.field('phone'),
    region,
    email,
    refuse: form.refuse,
    takeBack: () => form.takeBack('phone_confirmation'),
    writePhone: (number) => form.set('phone', number),
    write(confirmed) {
      form.set('phone_confirmation', confirmed);
      // Whoever confirms a number here wants it saved.
      if (confirmed) form.retry();
    },
  });
  return (
    <FormStack {...form.props}>
      {current && (
        <Remark>
          <Text id="account.phone_now" values={{ phone: phone_written }} />
        </Remark>
      )}
      <FormProblems form={form} labels={labels} />
      <ConfirmedPhone form={form} confirmation={confirmation} region={region} />
      <FormButtons form={form} label="account.save" cancel={cancel} />
    </FormStack>
  );
}
