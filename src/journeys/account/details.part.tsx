import { useForm } from '../../browser/forms/form.ts';
import { Text } from '../../browser/language/text.tsx';
import { notifyAccountChanged } from '../../browser/requests/account-changes.ts';
import { sendRequest } from '../../browser/requests/send-request.ts';
import type { readAccount } from '../../contract/account.ts';
import type { Answered } from '../../contract/endpoint.ts';
import { languages } from '../../contract/languages.ts';
import type { MessageId } from '../../messages/ids.ts';
import { SubmitButton } from '../../ui/button.tsx';
import { FormProblems } from '../../ui/feedback/form-problems.tsx';
import { Notice } from '../../ui/feedback/notice.tsx';
import { Checkbox } from '../../ui/fields/checkbox.tsx';
import { SelectField } from '../../ui/fields/select-field.tsx';
import { TextField } from '../../ui/fields/text-field.tsx';
import { FormStack } from '../../ui/layouts/stack.tsx';

type Account = Answered<typeof readAccount>;

const labels = {
  name: 'label.name',
  organization: 'label.organization',
  inn: 'label.inn',
} satisfies Record<string, MessageId>;

/** Name, organization, language and notifications: details that change without a proof. */
export function Details({ account }: { account: Account }) {
  const { name, organization, inn, locale, mail_new_device: told = true } = account;
  const form = useForm({
    contract: () => import('./account.contract.ts'),
    schema: ({ accountChanges }) => accountChanges,
    initial: {
      name,
      organization: organization ?? '',
      inn: inn ?? '',
      locale: locale as string,
      mail_new_device: told,
    },
    async send({ changeAccount }, body, signal) {
      await sendRequest(changeAccount, { body, signal });
      notifyAccountChanged();
    },
  });
  return (
    <FormStack {...form.props}>
      <FormProblems form={form} labels={labels} />
      <TextField field={form.field('name')} label="label.name" autoComplete="name" />
      <TextField field={form.field('organization')} label="label.organization" optional autoComplete="organization" />
      <TextField
        field={form.field('inn')}
        label="label.inn"
        optional
        inputMode="numeric"
        dir="ltr"
        hint={<Text id="hint.inn" />}
      />
      <SelectField field={form.field('locale')} label="account.language">
        {languages.map(({ code, tag, name: ownName }) => (
          <option key={code} value={code} lang={tag}>
            {ownName}
          </option>
        ))}
      </SelectField>
      <fieldset>
        <legend>
          <Text id="account.notifications" />
        </legend>
        <Checkbox field={form.field('mail_new_device')} label="account.mail_new_device" />
      </fieldset>
      {form.request.state === 'success' && (
        <Notice kind="success" role="status">
          <Text id="account.saved" />
        </Notice>
      )}
      <SubmitButton label="account.save" busy={form.busy ? 'form.wait' : undefined} retry={form.retry} />
    </FormStack>
  );
}
