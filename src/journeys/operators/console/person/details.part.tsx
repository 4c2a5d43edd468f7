import type { ProfileField } from '../../../../contract/account.ts';
import { type LanguageCode, languages } from '../../../../contract/languages.ts';
import { SelectField } from '../../../../ui/fields/choice-fields.tsx';
import { TextField } from '../../../../ui/fields/field.tsx';
import { askedOf, ProfileText } from '../../../../ui/fields/profile-fields.tsx';
import type { FieldOf } from '../layout/act-dialog.part.tsx';

/** What an operator can change about a person without a proof. Empty if there is none. */
export interface Details extends Readonly<Record<ProfileField, string>> {
  readonly name: string;
  readonly locale: LanguageCode;
}

/** The details that were typed and differ from the stored ones. */
export function changedDetails(stored: Details, typed: (name: string) => string): Partial<Details> {
  const names = Object.keys(stored) as (keyof Details)[];
  return Object.fromEntries(names.filter((name) => typed(name) !== stored[name]).map((name) => [name, typed(name)]));
}

/** The fields of a person's details, with the values that they have at first. */
export const DetailsFields = ({ field, first }: { field: FieldOf; first: Details }) => (
  <>
    <TextField field={field('name')} label="console_act.name" autoComplete="off" defaultValue={first.name} />
    {askedOf(first, { russian: first.locale === 'ru' }).map((name) => (
      <ProfileText key={name} name={name} field={field(name)} defaultValue={first[name]} forOthers />
    ))}
    <SelectField field={{ ...field('locale'), value: first.locale }} label="account.language">
      {languages.map(({ code, name }) => (
        <option key={code} value={code} lang={code}>
          {name}
        </option>
      ))}
    </SelectField>
  </>
);
