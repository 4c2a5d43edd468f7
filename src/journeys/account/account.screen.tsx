import { draftOf } from '../../browser/forms/draft.ts';
import { useForm } from '../../browser/forms/form.ts';
import { Paragraph } from '../../browser/language/text.tsx';
import { useTimes } from '../../browser/language/times.ts';
import { usePage } from '../../browser/navigation/page.tsx';
import { notifyAccountChanged } from '../../browser/requests/account-changes.ts';
import { sendRequest } from '../../browser/requests/send-request.ts';
import type { LanguageCode } from '../../contract/languages.ts';
import type { MessageId } from '../../messages/ids.ts';
import { SubmitButton } from '../../ui/button.tsx';
import { FormSaved } from '../../ui/feedback/feedback.tsx';
import { FormProblems } from '../../ui/feedback/form-problems.tsx';
import { TextField } from '../../ui/fields/field.tsx';
import { askedOf, ProfileText, profileLabels, profileTexts } from '../../ui/fields/profile-fields.tsx';
import { initialsOf } from '../../ui/initials.ts';
import { Card, FormStack } from '../../ui/layouts/card.tsx';
import css from './account.module.css';
import { CheckUp } from './check-up.part.tsx';
import { ButtonRow } from './layout/rows.part.tsx';
import { type Account, Section } from './layout/section.part.tsx';

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
