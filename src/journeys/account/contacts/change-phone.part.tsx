import { useForm } from '../../../browser/forms/form.ts';
import { usePage } from '../../../browser/navigation/page.tsx';
import { notifyAccountChanged } from '../../../browser/requests/account-changes.ts';
import { sendRequest } from '../../../browser/requests/send-request.ts';
import { FormProblems } from '../../../ui/feedback/form-problems.tsx';
import { readTypedPhone, useAssumedRegion } from '../../../ui/fields/phone-field.tsx';
import { FormStack } from '../../../ui/layouts/stack.tsx';
import { ConfirmedPhone } from '../../confirm-phone/confirmed-phone.part.tsx';
import { checkPhone } from '../../confirm-phone/steps/check-phone.part.ts';
import { useConfirmPhone } from '../../confirm-phone/use-confirm-phone.part.ts';
import { FormButtons } from '../layout/form-buttons.part.tsx';

interface ChangePhoneProps {
  /** Address for a confirmation by email instead of a call. */
  email: string;
  done: () => void;
  cancel: () => void;
}

const labels = { phone: 'label.phone' } as const;

/** Changes the phone number, which is confirmed as at registration. */
export function ChangePhone({ email, done, cancel }: ChangePhoneProps) {
  const { phoneConfirmation } = usePage().settings;
  const assumed = useAssumedRegion();
  const form = useForm({
    contract: () => import('../account.contract.ts'),
    schema: ({ changePhone }) => changePhone.body,
    initial: { phone: '', phone_region: '', phone_confirmation: '' },
    asyncCheck: (typed) => checkPhone(typed, { region: typed.phone_region || assumed, phoneConfirmation }),
    async send({ changePhone }, body, signal) {
      const phone = (await readTypedPhone(body.phone, region)) ?? body.phone;
      await sendRequest(changePhone, { body: { ...body, phone }, signal });
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
      <FormProblems form={form} labels={labels} />
      <ConfirmedPhone form={form} confirmation={confirmation} region={region} />
      <FormButtons form={form} label="account.change_phone" cancel={cancel} />
    </FormStack>
  );
}
