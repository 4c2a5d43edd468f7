import { useForm } from '../../browser/forms/form.ts';
import { Text } from '../../browser/language/text.tsx';
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
import { Line, Lines, useTimes } from './lines.part.tsx';

type Account = Answered<typeof readAccount>;

const labels = {
  name: 'label.name',
  organization: 'label.organization',
  inn: 'label.inn',
} satisfies Record<string, MessageId>;

/** Name, organization, language and choices: whatever is changed without further ado. */
export function Details({ account }: { account: Account }) {
  const { name, organization, inn, locale, consents, mail_new_device: told = true } = account;
  const offers = consents.find(({ kind }) => kind === 'offers')?.given ?? false;
  const form = useForm({
    contract: () => import('./account.contract.ts'),
    schema: ({ accountChanges }) => accountChanges,
    initial: {
      name,
      organization: organization ?? '',
      inn: inn ?? '',
      locale: locale as string,
      mail_new_device: told,
      consent_offers: offers,
    },
    send: ({ changeAccount }, body, signal) => sendRequest(changeAccount, { body, signal }),
  });
  return (
    <FormStack {...form.props}>
      <FormProblems form={form} labels={labels} />
      <Contacts account={account} />
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
      <h3>
        <Text id="account.mails" />
      </h3>
      <div>
        <Checkbox field={form.field('mail_new_device')} label="account.mail_new_device" />
        <Checkbox field={form.field('consent_offers')} label="register.consent_offers" />
      </div>
      <Agreed account={account} />
      {form.request.state === 'success' && (
        <Notice kind="success" role="status">
          <Text id="account.saved" />
        </Notice>
      )}
      <SubmitButton label="account.save" busy={form.busy ? 'form.wait' : undefined} retry={form.retry} />
    </FormStack>
  );
}

/** Where the owner is reached, and whether that was shown to be theirs. */
function Contacts({
  account: { email, email_confirmed: proven = false, phone, phone_confirmed },
}: {
  account: Account;
}) {
  return (
    <Lines>
      <Line
        title={<span dir="ltr">{email}</span>}
        details={[<Text key="e" id={proven ? 'account.confirmed' : 'account.unconfirmed'} />]}
      />
      {phone && (
        <Line
          title={<span dir="ltr">{phone}</span>}
          details={[<Text key="p" id={phone_confirmed ? 'account.confirmed' : 'account.unconfirmed'} />]}
        />
      )}
    </Lines>
  );
}

/** When the consent was given without which there is no account. */
function Agreed({ account: { consents } }: { account: Account }) {
  const time = useTimes();
  const agreed = consents.find(({ kind }) => kind === 'personal_data');
  return agreed ? (
    <p>
      <Text id="account.agreed" values={{ when: time(agreed.at) }} />
    </p>
  ) : null;
}
