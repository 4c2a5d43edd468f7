import { useForm } from '../../../browser/forms/form.ts';
import { draftOf } from '../../../browser/forms/form-draft.ts';
import { Text } from '../../../browser/language/text.tsx';
import { usePage } from '../../../browser/navigation/page.tsx';
import { notifyAccountChanged } from '../../../browser/requests/account-changes.ts';
import { sendRequest } from '../../../browser/requests/send-request.ts';
import type { LanguageCode } from '../../../contract/languages.ts';
import type { MessageId } from '../../../messages/ids.ts';
import { SubmitButton } from '../../../ui/button.tsx';
import { FormProblems } from '../../../ui/feedback/form-problems.tsx';
import { FormSaved } from '../../../ui/feedback/form-saved.tsx';
import { TextField } from '../../../ui/fields/text-field.tsx';
import { FormStack } from '../../../ui/layouts/stack.tsx';
import type { Account } from '../layout/section.part.tsx';

const labels = {
  name: 'label.name',
  organization: 'label.organization',
  inn: 'label.inn',
} satisfies Record<string, MessageId>;

/** Only Russia has this tax number, and the form shows it only to owners whose number or language suggests Russia. */
const suggestsRussia = ({ inn, phone, locale }: Account, language: LanguageCode): boolean =>
  Boolean(inn) || language === 'ru' || locale === 'ru' || /^\+7[3489]/.test(phone);

/** Name, organization and tax number. */
export function ProfileForm({ account }: { account: Account }) {
  const { name, organization, inn } = account;
  const hasInn = suggestsRussia(account, usePage().language);
  const form = useForm({
    contract: () => import('../account.contract.ts'),
    schema: ({ accountChanges }) => accountChanges,
    initial: { name, organization: organization ?? '', inn: inn ?? '' },
    draft: draftOf(account, 'profile'),
    async send({ changeAccount }, { inn: typed, ...others }, signal) {
      // A blank value would remove a number that was added elsewhere meanwhile.
      const body = hasInn ? { ...others, inn: typed } : others;
      await sendRequest(changeAccount, { body, signal });
      notifyAccountChanged();
    },
  });
  return (
    <FormStack {...form.props}>
      <FormProblems form={form} labels={labels} />
      <TextField field={form.field('name')} label="label.name" autoComplete="name" />
      <TextField field={form.field('organization')} label="label.organization" optional autoComplete="organization" />
      {hasInn && (
        <TextField
          field={form.field('inn')}
          label="label.inn"
          optional
          inputMode="numeric"
          dir="ltr"
          hint={<Text id="hint.inn" />}
        />
      )}
      <FormSaved form={form} />
      <div>
        <SubmitButton label="account.save" narrow busy={form.busy ? 'form.wait' : undefined} retry={form.retry} />
      </div>
    </FormStack>
  );
}
