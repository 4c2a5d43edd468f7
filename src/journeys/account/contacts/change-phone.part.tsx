import { useForm } from '../../../browser/forms/form.ts';
import { Text } from '../../../browser/language/text.tsx';
import { usePage } from '../../../browser/navigation/page.tsx';
import { notifyAccountChanged } from '../../../browser/requests/account-changes.ts';
import { RequestFailure } from '../../../browser/requests/request-failure.ts';
import { sendRequest } from '../../../browser/requests/send-request.ts';
import { FormProblems } from '../../../ui/feedback/form-problems.tsx';
import { readTypedPhone, useAssumedRegion } from '../../../ui/fields/phone/phone-field.tsx';
import { FormStack } from '../../../ui/layouts/stack.tsx';
import { ConfirmedPhone } from '../../confirm-phone/confirmed-phone.part.tsx';
import { checkPhone } from '../../confirm-phone/steps/check-phone.part.ts';
import { useConfirmPhone } from '../../confirm-phone/use-confirm-phone.part.ts';
import { FormButtons } from '../layout/form-buttons.part.tsx';
import { Remark } from '../layout/row.part.tsx';
import type { Account } from '../layout/section.part.tsx';

interface ChangePhoneProps {
  account: Account;
  draft: string | undefined;
  done: () => void;
  cancel: () => void;
}

const labels = { phone: 'label.phone' } as const;

/** Changes the phone number, which is confirmed as at registration. */
export function ChangePhone({ account, draft, done, cancel }: ChangePhoneProps) {
  const { email, phone: current, phone_written = current } = account;
  const { phoneConfirmation } = usePage().settings;
  const assumed = useAssumedRegion();
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
    write: (confirmed) => form.set('phone_confirmation', confirmed),
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
      <FormButtons form={form} label="account.change_phone" cancel={cancel} />
    </FormStack>
  );
}
