import type { ReactNode } from 'react';
import { Text } from '../../browser/language/text.tsx';
import { usePage } from '../../browser/navigation/page.tsx';
import { Checkbox } from '../../ui/fields/checkbox.tsx';
import { EmailField } from '../../ui/fields/email/email-field.tsx';
import { PasswordField } from '../../ui/fields/passwords/password-field.tsx';
import { TextField } from '../../ui/fields/text-field.tsx';
import { Stack } from '../../ui/layouts/stack.tsx';
import { ConfirmedPhone } from '../confirm-phone/confirmed-phone.part.tsx';
import type { PhoneConfirmation } from '../confirm-phone/use-confirm-phone.part.ts';
import type { RegisterForm } from './fields.part.ts';
import { ExistsHelp } from './words.part.tsx';

interface GroupProps {
  form: RegisterForm;
}

/** Name, email address and password. */
export const You = ({ form }: GroupProps) => (
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
export const Phone = ({ form, confirmation, region }: PhoneProps) => (
  <ConfirmedPhone
    form={form}
    confirmation={confirmation}
    region={region}
    help={({ code }) => code === 'account_exists' && <ExistsHelp email={form.field('email').value} />}
  />
);

/** Required and optional consents. */
export function Consents({ form }: GroupProps) {
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
      {termsUrl && (
        <p>
          <Text id="register.terms" tags={{ terms: <Document address={termsUrl} /> }} />
        </p>
      )}
    </div>
  );
}

/** Opens in a new tab, so that the form keeps its input. */
const Document = ({ address, children }: { address: string; children?: ReactNode }) => (
  <a href={address} target="_blank" rel="noopener">
    {children}
  </a>
);
