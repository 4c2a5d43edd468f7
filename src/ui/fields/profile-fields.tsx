import type { HTMLInputAutoCompleteAttribute, ReactNode } from 'react';
import type { FormField } from '../../browser/forms/form.ts';
import { Text } from '../../browser/language/text.tsx';
import type { ProfileField } from '../../contract/account.ts';
import type { MessageId } from '../../messages/ids.ts';
import { TextField } from './field.tsx';

interface ProfileInput {
  readonly label: MessageId;
  readonly autoComplete: HTMLInputAutoCompleteAttribute;
  readonly hint?: ReactNode;
  readonly inputMode?: 'numeric';
  readonly dir?: 'ltr';
  /** Only people in Russia have it, so forms ask others for it only if it is filled. */
  readonly russian?: true;
}

const inputs: Readonly<Record<ProfileField, ProfileInput>> = {
  organization: { label: 'label.organization', autoComplete: 'organization' },
  inn: {
    label: 'label.inn',
    autoComplete: 'off',
    hint: <Text id="hint.inn" />,
    inputMode: 'numeric',
    dir: 'ltr',
    russian: true,
  },
};

export const profileNames = Object.keys(inputs) as ProfileField[];

/** Makes something for each of the optional texts of an account. */
export const forProfile = <T,>(make: (name: ProfileField) => T): Record<ProfileField, T> =>
  Object.fromEntries(profileNames.map((name) => [name, make(name)])) as Record<ProfileField, T>;

export const profileLabels = forProfile((name) => inputs[name].label);

export const isRussian = (name: ProfileField): boolean => inputs[name].russian === true;

type Texts = Readonly<Partial<Record<ProfileField, string | null>>>;

/** What a form has at first: empty for what an account does not have. */
export const profileTexts = (of: Texts): Record<ProfileField, string> => forProfile((name) => of[name] ?? '');

/** What a form asks for; `russian`: whether something suggests Russia. */
export const askedOf = (of: Texts, { russian }: { readonly russian: boolean }): ProfileField[] =>
  profileNames.filter((name) => russian || !isRussian(name) || Boolean(of[name]));

interface ProfileTextProps {
  name: ProfileField;
  field: FormField<string>;
  /** Typed by an operator, whose browser knows nothing about the person. */
  forOthers?: boolean;
  defaultValue?: string;
}

/** The input of one of the optional texts of an account. */
export function ProfileText({ name, field, forOthers = false, ...rest }: ProfileTextProps) {
  const { russian: _, autoComplete, ...input } = inputs[name];
  return <TextField field={field} optional {...input} autoComplete={forOthers ? 'off' : autoComplete} {...rest} />;
}
