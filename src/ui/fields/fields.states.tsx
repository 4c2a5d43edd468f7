import { Text } from '../../browser/language/text.tsx';
import { leave, press, type, typeInCapitals } from '../../gallery/acts.ts';
import { fieldOf, type States, specimen } from '../../gallery/state.tsx';
import { Checkbox, Fold, SelectField } from './choice-fields.tsx';
import { DigitsInput } from './code-field.tsx';
import { EmailField } from './email-field.tsx';
import { Field, FieldError, Input, inputProps, Refusal, TextField } from './field.tsx';
import { NewPasswordFields, PasswordField } from './password-fields.tsx';
import { PhoneField } from './phone-field.tsx';
import { ProfileText } from './profile-fields.tsx';
import { SearchField } from './search-field.tsx';
import { TimeZoneField } from './time-zone-field.tsx';

const nothing = () => undefined;
const empty = fieldOf('name', '');
const wrong = fieldOf('name', '', { field: 'name', code: 'required' });

const password = (field = fieldOf('password', '')) => (
  <PasswordField
    field={field}
    label="label.password"
    autoComplete="new-password"
    hint={<Text id="hint.password" values={{ min: 6 }} />}
  />
);
const email = <EmailField field={fieldOf('email', '')} autoComplete="email" onUse={nothing} />;
const phone = (readOnly: boolean, error?: 'phone_invalid', typed = '') => (
  <PhoneField
    field={fieldOf('phone', typed, error && { field: 'phone', code: error })}
    regionField={fieldOf('phone_region', '')}
    region="DE"
    choose={nothing}
    use={nothing}
    readOnly={readOnly}
  />
);

export const states: readonly States[] = [
  {
    of: 'Fields',
    page: 'register',
    states: {
      text: specimen('TextField', <TextField field={empty} label="label.name" />),
      'text, wrong': specimen('TextField', <TextField field={wrong} label="label.name" />),
      'text, optional': specimen('ProfileText', <ProfileText field={empty} name="organization" />),
      'text, with a hint': specimen('ProfileText', <ProfileText field={wrong} name="inn" />),
      'one of a few': specimen(
        'SelectField',
        <SelectField field={fieldOf('name', 'b')} label="label.name">
          <option value="a">Anna</option>
          <option value="b">Berta</option>
        </SelectField>,
      ),
      'anything in a field': specimen(
        'Field',
        <Field field={empty} label="label.name" news="Something has turned out." refusal="It was refused.">
          <Input {...inputProps({ ...empty, error: true })} defaultValue="Anna" />
        </Field>,
      ),
      errors: specimen(
        'FieldError',
        <>
          <FieldError field={wrong} />
          <Refusal id="refused">It was refused.</Refusal>
        </>,
      ),
      digits: specimen(
        'DigitsInput',
        <Field field={empty} label="phone.digits">
          <DigitsInput {...inputProps(empty)} lengths={[4]} defaultValue="0147" dir="ltr" />
        </Field>,
      ),
      'a fold, closed': specimen(
        'Fold',
        <Fold label="phone.help_title">
          <p>Behind it.</p>
        </Fold>,
      ),
      'a fold with something wrong in it': specimen(
        'Fold',
        <Fold label="phone.help_title" fields={[wrong]}>
          <TextField field={wrong} label="label.name" />
        </Fold>,
      ),
      email: specimen('EmailField', email),
      'email, typing mistake': {
        ...specimen('EmailField', email),
        acts: [type({ email: 'anna@gmial.com' }), leave('email')],
        shows: ['hint.email_suggestion'],
      },
      password: specimen('PasswordField', password()),
      'password, wrong': {
        ...specimen('PasswordField', password(fieldOf('password', '', { field: 'password', code: 'password_common' }))),
        shows: ['invalid.password_common'],
      },
      'password, shown': {
        ...specimen('PasswordField', password()),
        acts: [type({ password: 'correct horse' }), press('hint.password_show')],
      },
      'password, Caps Lock': {
        ...specimen('PasswordField', password()),
        acts: [typeInCapitals('password')],
        shows: ['hint.caps_lock'],
      },
      phone: specimen('PhoneField', phone(false)),
      'phone, wrong': specimen('PhoneField', phone(false, 'phone_invalid')),
      'phone, with two readings': {
        ...specimen('PhoneField', phone(false, 'phone_invalid', '4915123456789')),
        shows: ['hint.email_suggestion'],
      },
      'phone, settled': specimen('PhoneField', phone(true)),
      checkbox: specimen(
        'Checkbox',
        <Checkbox field={fieldOf('consent', false)} label="register.consent_personal_data" />,
      ),
      'checkbox, ticked': {
        ...specimen('Checkbox', <Checkbox field={fieldOf('consent', true)} label="register.consent_offers" />),
        acts: [type({ consent: true })],
      },
      'checkbox, wrong': specimen(
        'Checkbox',
        <Checkbox
          field={fieldOf('consent', false, { field: 'consent', code: 'consent_required' })}
          label="register.consent_personal_data"
        />,
      ),
    },
  },
  {
    of: 'Fields of a password reset',
    page: 'reset-password',
    states: {
      'a new password': specimen(
        'NewPasswordFields',
        <NewPasswordFields form={{ field: (name) => fieldOf(name, '') }} email="anna@example.com" />,
      ),
    },
  },
  {
    of: 'Time zone',
    page: 'account-notifications',
    states: {
      chosen: specimen('TimeZoneField', <TimeZoneField field={fieldOf('time_zone', 'Europe/Berlin')} />),
    },
  },
  {
    of: 'Search',
    page: 'dashboard',
    states: {
      'for words': specimen('SearchField', <SearchField aria-label="SearchField" defaultValue="office" />),
    },
  },
];
