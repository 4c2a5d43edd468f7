import type { ReactNode } from 'react';
import { draftOf } from '../../browser/forms/draft.ts';
import { useForm } from '../../browser/forms/form.ts';
import { Paragraph, Text } from '../../browser/language/text.tsx';
import { useTimes } from '../../browser/language/times.ts';
import { Link } from '../../browser/navigation/navigation.tsx';
import { usePage } from '../../browser/navigation/page.tsx';
import { sendRequest } from '../../browser/requests/send-request.ts';
import { notifyAccountChanged } from '../../browser/requests/session.ts';
import type { LanguageCode } from '../../contract/languages.ts';
import type { MessageId } from '../../messages/ids.ts';
import { SubmitButton } from '../../ui/button.tsx';
import { FormSaved } from '../../ui/feedback/feedback.tsx';
import { FormProblems } from '../../ui/feedback/form-problems.tsx';
import { TextField } from '../../ui/fields/field.tsx';
import { askedOf, ProfileText, profileLabels, profileTexts } from '../../ui/fields/profile-fields.tsx';
import { Card, FormStack, Heading, PlainLine, PlainList } from '../../ui/layouts/card.tsx';
import { initialsOf } from '../../ui/signed-in-user.tsx';
import css from './account.module.css';
import { ButtonRow, Standing } from './layout/rows.part.tsx';
import { type Account, Section } from './layout/section.part.tsx';
import { fewCodes, type SecurityState, useSecurity } from './second-step/second-step-rows.part.tsx';

/** The account's first page: its owner's details. */
export default function Profile() {
  return (
    <Section title="account_profile.page">
      {(account) => (
        <>
          <CheckUp account={account} />
          <ProfileCard account={account} />
        </>
      )}
    </Section>
  );
}

/** The owner of the account, and the details that change without a proof. */
function ProfileCard({ account }: { account: Account }) {
  const { day } = useTimes();
  const { name, email, created_at } = account;
  return (
    <Card>
      <div className={css.owner}>
        <span className={css.initials} aria-hidden="true">
          {initialsOf(name || email)}
        </span>
        <div className={css.words}>
          <h2 tabIndex={-1}>
            <bdi>{name || email}</bdi>
          </h2>
          {name !== '' && (
            <p>
              <bdi dir="ltr">{email}</bdi>
            </p>
          )}
          <Paragraph className={css.since} id="account.since" dir="auto" values={{ when: day(created_at) }} />
        </div>
      </div>
      <ProfileForm account={account} />
    </Card>
  );
}

const labels = { name: 'label.name', ...profileLabels } satisfies Record<string, MessageId>;

const suggestsRussia = ({ phone, locale }: Account, language: LanguageCode): boolean =>
  language === 'ru' || locale === 'ru' || /^\+7[3489]/.test(phone);

/** The name and the optional texts. */
function ProfileForm({ account }: { account: Account }) {
  const { language } = usePage();
  const asked = askedOf(account, { russian: suggestsRussia(account, language) });
  const form = useForm({
    contract: () => import('./account.contract.ts'),
    schema: ({ accountChanges }) => accountChanges,
    initial: { name: account.name, ...profileTexts(account) },
    draft: draftOf(account, 'profile'),
    async send({ changeAccount }, typed, signal) {
      // The blank value of a hidden field would remove what was added elsewhere meanwhile.
      const isSent = (name: string) => name === 'name' || asked.some((one) => one === name);
      const body = Object.fromEntries(Object.entries(typed).filter(([name]) => isSent(name)));
      await sendRequest(changeAccount, { body, signal });
      notifyAccountChanged();
    },
  });
  return (
    <FormStack {...form.props}>
      <FormProblems form={form} labels={labels} />
      <TextField field={form.field('name')} label="label.name" autoComplete="name" />
      {asked.map((name) => (
        <ProfileText key={name} name={name} field={form.field(name)} />
      ))}
      <ButtonRow>
        <SubmitButton label="account.save" narrow busy={form.busy ? 'form.wait' : undefined} retry={form.retry} />
        <FormSaved form={form} />
      </ButtonRow>
    </FormStack>
  );
}

/** What protects the account at a glance, with the next step where something is missing. */
export function CheckUp({ account }: { account: Account }) {
  const { security } = useSecurity();
  const { passkeys, secondStep, phoneConfirmation } = usePage().settings;
  const { email_confirmed: isRead, phone, phone_confirmed: isPhone } = account;
  const phoneStep = phone === '' ? 'account.add_phone' : 'account.change_phone';
  return (
    <Card>
      <Heading text="check_up.title" />
      <PlainList>
        {(passkeys || secondStep) && (
          <Check label="check_up.factor">{security && <Factor security={security} canAdd={secondStep} />}</Check>
        )}
        <Check label="label.email">
          {/* The banner above has its next step. */}
          <Standing good={isRead} label={isRead ? 'account.confirmed' : 'account.unconfirmed'} />
        </Check>
        {phoneConfirmation !== 'off' && (
          <Check label="label.phone">
            <Standing good={isPhone} label={isPhone ? 'account.confirmed' : 'account.unconfirmed'} />
            {!isPhone && <Link to="/account/security/" text={phoneStep} />}
          </Check>
        )}
        {security?.authenticator && <RecoveryCodes security={security} />}
      </PlainList>
    </Card>
  );
}

const Check = ({ label, children }: { label: MessageId; children: ReactNode }) => (
  <PlainLine end={children} text={label} />
);

function Factor({ security: { authenticator, passkeys }, canAdd }: { security: SecurityState; canAdd: boolean }) {
  const isOn = authenticator || passkeys > 0;
  return (
    <>
      <Standing good={isOn} label={isOn ? 'security.on' : 'security.off'} />
      {!isOn && canAdd && <Link to="/account/security/#authenticator" text="security.authenticator_add" />}
    </>
  );
}

/** Those of an authenticator app: how many are left, and of when. */
function RecoveryCodes({ security }: { security: SecurityState }) {
  const { day } = useTimes();
  const { recovery_codes_left: left, recovery_codes_made_at: madeAt } = security;
  return (
    <Check label="security.recovery_codes">
      {left <= fewCodes ? (
        <>
          <Standing good={false} label="security.recovery_few" />
          <Link to="/account/security/#authenticator" text="security.recovery_renew" />
        </>
      ) : (
        <span>
          <Text id="security.recovery_left" values={{ count: left }} />
          {madeAt !== null && (
            <>
              {' · '}
              <Text id="security.recovery_made" values={{ when: day(madeAt) }} dir="auto" />
            </>
          )}
        </span>
      )}
    </Check>
  );
}
