import { type ReactNode, useState } from 'react';
import { forgetIdempotencyKey, idempotencyKeyFor } from '../../browser/forms/draft.ts';
import { type Form, useForm } from '../../browser/forms/form.ts';
import { Paragraph, Text } from '../../browser/language/text.tsx';
import { keepEmail, useKeptQuery } from '../../browser/navigation/kept-query.ts';
import { goToLastPlace } from '../../browser/navigation/last-place.ts';
import { Link, useGo } from '../../browser/navigation/navigation.tsx';
import { usePage } from '../../browser/navigation/page.tsx';
import { tabStorage } from '../../browser/platform/storage.ts';
import { RequestFailure } from '../../browser/requests/request-status.ts';
import { sendRequest } from '../../browser/requests/send-request.ts';
import { startSession } from '../../browser/requests/session.ts';
import { refuseObviousPassword } from '../../contract/sign-in/passwords.ts';
import { SubmitButton } from '../../ui/button.tsx';
import { FormProblems } from '../../ui/feedback/form-problems.tsx';
import { Checkbox, Fold } from '../../ui/fields/choice-fields.tsx';
import { EmailField } from '../../ui/fields/email-field.tsx';
import { TextField } from '../../ui/fields/field.tsx';
import { PasswordField } from '../../ui/fields/password-fields.tsx';
import { readTypedPhone, useAssumedRegion } from '../../ui/fields/phone-field.tsx';
import { isRussian, ProfileText, profileLabels, profileNames, profileTexts } from '../../ui/fields/profile-fields.tsx';
import { BelowForm, FormStack, Stack, Title } from '../../ui/layouts/card.tsx';
import { DefaultLayout } from '../../ui/layouts/frame.tsx';
import { ConfirmedPhone } from '../confirm-phone/confirm-phone.part.tsx';
import { checkPhone, type PhoneConfirmation, useConfirmPhone } from '../confirm-phone/use-confirm-phone.part.ts';
import { ContinueTo } from '../openid/connect/continue-to.part.tsx';
import css from './register.module.css';

const isUnconfirmed = ({ fields }: RequestFailure) => fields.some(({ field }) => field === 'phone_confirmation');

/** Registration: one form, which leads to the page that adds computers or, without devices, to the account. */
export default function Register() {
  const { dbType } = useKeptQuery();
  const { language, settings } = usePage();
  const { passwordMinLength: min, productName: product, phoneConfirmation } = settings;
  const start = settings.devices ? '/computers/add/' : '/account/';
  const go = useGo();
  const assumed = useAssumedRegion();
  const [created, setCreated] = useState(false);

  const form = useForm({
    contract: () => import('./register.contract.ts'),
    schema: ({ registration }) => registration(min),
    initial: empty,
    also: { db_type: dbType, locale: language },
    draft: 'register',
    checksOnLeaving: true,
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
        await goToLastPlace(language).catch(() => go(start));
      } catch (failure) {
        // The confirmation may have expired.
        if (failure instanceof RequestFailure && isUnconfirmed(failure)) confirmation.forget();
        throw failure;
      }
    },
  });

  const waits = form.busy ? 'form.wait' : undefined;
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
        <ContinueTo />
        <FormProblems
          form={form}
          labels={labels}
          help={({ code }) => code === 'account_exists' && <ExistsHelp email={form.field('email').value} />}
        />
        <You form={form} />
        <Phone form={form} confirmation={confirmation} region={region} />
        <ForFew form={form} russian={language === 'ru' || region === 'RU'} />
        <Consents form={form} />
        <SubmitButton
          label="register.submit"
          busy={created ? 'register.success' : waits}
          retry={created ? () => go(start) : form.retry}
        />
      </FormStack>
      <BelowForm>
        <p>
          <Text id="register.has_account" /> <Link to="/" text="register.sign_in" />
        </p>
      </BelowForm>
    </DefaultLayout>
  );
}

/** Initial values of all fields, in the order of the error summary. */
const empty = {
  name: '',
  email: '',
  password: '',
  password_repeat: '',
  phone: '',
  phone_region: '',
  phone_confirmation: '',
  ...profileTexts({}),
  promo_code: '',
  consent_personal_data: false,
  consent_offers: false,
};

type RegisterForm = Form<typeof empty>;

/** Labels of the fields whose messages do not name the field. */
const labels = {
  name: 'label.name',
  phone: 'label.phone',
  ...profileLabels,
  promo_code: 'label.promo_code',
  password_repeat: 'label.password_repeat',
} as const;

interface GroupProps {
  form: RegisterForm;
}

/** Name, email address and password. */
const You = ({ form }: GroupProps) => (
  <Stack tight>
    <TextField field={form.field('name')} label="label.name" autoComplete="name" />
    <EmailField field={form.field('email')} autoComplete="username" onUse={(use) => form.set('email', use)} />
    <PasswordField
      field={form.field('password')}
      label="label.password"
      autoComplete="new-password"
      hint={<Text id="hint.password" values={{ min: usePage().settings.passwordMinLength }} />}
    />
    <PasswordField field={form.field('password_repeat')} label="label.password_repeat" autoComplete="new-password" />
  </Stack>
);

interface PhoneProps extends GroupProps {
  confirmation: PhoneConfirmation;
  /** The assumed country of a number without a country code. */
  region: string;
}

/** The phone number, whose confirmation may reveal that its owner already has an account. */
const Phone = ({ form, confirmation, region }: PhoneProps) => (
  <ConfirmedPhone
    form={form}
    confirmation={confirmation}
    region={region}
    help={({ code }) => code === 'account_exists' && <ExistsHelp email={form.field('email').value} />}
  />
);

/** Required and optional consents. */
function Consents({ form }: GroupProps) {
  const { privacyUrl, termsUrl } = usePage().settings;
  return (
    <div>
      <Checkbox field={form.field('consent_personal_data')} label="register.consent_personal_data">
        {privacyUrl && (
          <Document address={privacyUrl}>
            <Text id="frame.privacy" />
          </Document>
        )}
      </Checkbox>
      <Checkbox field={form.field('consent_offers')} label="register.consent_offers" />
      {termsUrl && <Paragraph id="register.terms" tags={{ terms: <Document address={termsUrl} /> }} />}
    </div>
  );
}

/** Opens in a new tab, so that the form keeps its input. */
const Document = ({ address, children }: { address: string; children?: ReactNode }) => (
  <a href={address} target="_blank" rel="noopener">
    {children}
  </a>
);

interface ForFewProps {
  form: RegisterForm;
  /** Whether language or country suggest Russia, the only country whose tax number the form accepts. */
  russian: boolean;
}

/** Fields that few people need, collapsed until the user opens them. */
function ForFew({ form, russian }: ForFewProps) {
  const promoCode = form.field('promo_code');
  return (
    <div className={css.folds}>
      <Fold label="register.for_organization" fields={profileNames.map((name) => form.field(name))}>
        {profileNames.map((name) => {
          const field = form.field(name);
          const input = <ProfileText key={name} name={name} field={field} />;
          return russian || !isRussian(name) ? (
            input
          ) : (
            <Fold key={name} label="register.has_inn" fields={[field]}>
              {input}
            </Fold>
          );
        })}
      </Fold>
      <Fold label="register.has_promo_code" fields={[promoCode]}>
        <TextField
          field={promoCode}
          label="label.promo_code"
          autoComplete="off"
          dir="ltr"
          spellCheck={false}
          optional
        />
      </Fold>
    </div>
  );
}

/** Explains the steps in the side panel. */
const Beside = () => (
  <>
    <h2>
      <Text id="register.side_title" />
    </h2>
    <Paragraph className={css.text} id="register.side_text" />
  </>
);

/** The same in one line, for layouts without a panel. */
const ShortWord = () => <Paragraph className={css.short} id="register.side_text" />;

/** Links for an address that already has an account; the target forms start with the address. */
function ExistsHelp({ email }: { email: string }) {
  const keep = () => keepEmail(email.trim());
  return (
    <Paragraph
      id="register.exists_help"
      tags={{ signin: <Link to="/" onClick={keep} />, reset: <Link to="/recovery/" onClick={keep} /> }}
    />
  );
}
