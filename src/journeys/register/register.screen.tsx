import { useState } from 'react';
import { useForm } from '../../browser/forms/form.ts';
import { Text } from '../../browser/language/text.tsx';
import { keepEmail, useKeptQuery } from '../../browser/navigation/kept-query.ts';
import { goToLastPlace } from '../../browser/navigation/last-place.ts';
import { Link, useGo } from '../../browser/navigation/navigation.tsx';
import { usePage } from '../../browser/navigation/page.tsx';
import { tabStorage } from '../../browser/platform/storage.ts';
import { forgetIdempotencyKey, idempotencyKeyFor } from '../../browser/requests/idempotency-key.ts';
import { RequestFailure } from '../../browser/requests/request-failure.ts';
import { sendRequest } from '../../browser/requests/send-request.ts';
import { startSession } from '../../browser/requests/session.ts';
import { refuseObviousPassword } from '../../contract/sign-in/obvious-password.ts';
import { SubmitButton } from '../../ui/button.tsx';
import { FormProblems } from '../../ui/feedback/form-problems.tsx';
import { Notice } from '../../ui/feedback/notice.tsx';
import { readTypedPhone, useAssumedRegion } from '../../ui/fields/phone/phone-field.tsx';
import { DefaultLayout } from '../../ui/layouts/default-layout.tsx';
import { BelowForm, FormStack } from '../../ui/layouts/stack.tsx';
import { Title } from '../../ui/layouts/title.tsx';
import { checkPhone } from '../confirm-phone/steps/check-phone.part.ts';
import { useConfirmPhone } from '../confirm-phone/use-confirm-phone.part.ts';
import { ContinueTo } from '../openid/connect/continue-to.part.tsx';
import { empty, labels } from './fields.part.ts';
import { ForFew } from './for-few.part.tsx';
import { Consents, Phone, You } from './groups.part.tsx';
import css from './register.module.css';
import { Beside, ExistsHelp, ShortWord } from './words.part.tsx';

const isUnconfirmed = ({ fields }: RequestFailure) => fields.some(({ field }) => field === 'phone_confirmation');

/** Registration: one form, which leads to the page that adds computers. */
export default function Register() {
  const { dbType } = useKeptQuery();
  const { language, settings } = usePage();
  const { passwordMinLength: min, productName: product, phoneConfirmation } = settings;
  const go = useGo();
  const assumed = useAssumedRegion();
  const [created, setCreated] = useState(false);

  const form = useForm({
    contract: () => import('./register.contract.ts'),
    schema: ({ registration }) => registration(min),
    initial: empty,
    also: { db_type: dbType, locale: language },
    draft: 'register',
    async asyncCheck(typed) {
      const wrongPhone = await checkPhone(typed, { region: typed.phone_region || assumed, phoneConfirmation });
      return [...wrongPhone, ...refuseObviousPassword(typed.password, { ...typed, product })];
    },
    async send({ register }, body, signal) {
      const region = form.field('phone_region').value || assumed;
      const phone = (await readTypedPhone(body.phone, region)) ?? body.phone;
      try {
        const attempt = idempotencyKeyFor(body.email);
        startSession(await sendRequest(register, { body: { ...body, phone, attempt }, signal }));
        forgetIdempotencyKey(body.email);
        keepEmail(body.email);
        setCreated(true);
        // The page where the user arrives reports it (`AccountCreated`).
        tabStorage.write('registered_at', String(Date.now()));
        tabStorage.write('entered_by', 'password');
        // The account exists: if something fails now, submitting the form again would not help.
        confirmation.finish();
        await goToLastPlace(language).catch(() => go('/computers/add/'));
      } catch (failure) {
        // The confirmation may have expired.
        if (failure instanceof RequestFailure && isUnconfirmed(failure)) confirmation.forget();
        throw failure;
      }
    },
  });

  const region = form.field('phone_region').value || assumed;
  const confirmation = useConfirmPhone({
    field: form.field('phone_confirmation'),
    phone: form.field('phone'),
    region,
    email: form.field('email').value,
    registers: true,
    refuse: form.refuse,
    takeBack: () => form.takeBack('phone_confirmation'),
    writePhone: (number) => form.set('phone', number),
    write: (confirmed) => form.set('phone_confirmation', confirmed),
  });
  return (
    <DefaultLayout beside={<Beside />} className={css.tall}>
      <Title lead={<Text id="register.lead" />}>
        <Text id="register.title" />
      </Title>
      <ShortWord />
      <FormStack {...form.props}>
        <ContinueTo text="connect.then_to" />
        <FormProblems
          form={form}
          labels={labels}
          help={({ code }) => code === 'account_exists' && <ExistsHelp email={form.field('email').value} />}
        />
        <You form={form} />
        <Phone form={form} confirmation={confirmation} region={region} />
        <ForFew form={form} russian={language === 'ru' || region === 'RU'} />
        <Consents form={form} />
        {created && (
          <Notice kind="success" role="status">
            <Text id="register.success" />
          </Notice>
        )}
        <SubmitButton
          label="register.submit"
          busy={form.busy || created ? 'form.wait' : undefined}
          retry={created ? () => go('/computers/add/') : form.retry}
        />
      </FormStack>
      <BelowForm>
        <p>
          <Text id="register.has_account" />{' '}
          <Link to="/">
            <Text id="register.sign_in" />
          </Link>
        </p>
      </BelowForm>
    </DefaultLayout>
  );
}
