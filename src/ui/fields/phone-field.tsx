import { type ReactNode, useEffect, useSyncExternalStore } from 'react';
import type { FormField } from '../../browser/forms/form.ts';
import { Text } from '../../browser/language/text.tsx';
import { usePage } from '../../browser/navigation/page.tsx';
import { regions } from '../../contract/fields/regions.ts';
import { CountryPicker } from './country-picker.tsx';
import { Field, inputProps } from './field.tsx';
import { Input } from './input.tsx';
import css from './phone-field.module.css';

interface PhoneFieldProps {
  field: FormField<string>;
  /** Where the form keeps the country that was chosen; empty while none was. */
  regionField: FormField<string>;
  /** The country that counts: the chosen one, or the one that is assumed. */
  region: string;
  choose: (region: string) => void;
  /** While it is being confirmed, and once it is. */
  readOnly?: boolean;
  /** What to do with the number: a button beside it. */
  action?: ReactNode;
}

/** A phone number as people write it, with its country beside it. A number with `+` says its country itself. */
export function PhoneField({ field, regionField, region, choose, readOnly = false, action }: PhoneFieldProps) {
  const hint = <Text id="hint.phone" />;
  const typed = field.value;
  // biome-ignore lint/correctness/useExhaustiveDependencies: with each number, however it came into the field
  useEffect(() => {
    let overtaken = false;
    countryOf(typed).then((told) => {
      // The country that a number was begun under stays its own, also when the page's language changes.
      const next = told ?? (typed.trim() && regionField.value === '' ? region : undefined);
      if (!overtaken && next && next !== regionField.value) choose(next);
    }, console.error);
    return () => {
      overtaken = true;
    };
  }, [typed]);
  return (
    <Field field={field} label="label.phone" hint={hint}>
      <div className={css.line}>
        <div className={css.pair} dir="ltr">
          <div className={css.country} inert={readOnly}>
            <CountryPicker
              region={region}
              choose={(chosen) => {
                choose(chosen);
                document.getElementById(field.id)?.focus();
              }}
            />
          </div>
          <Input type="tel" inputMode="tel" autoComplete="tel" readOnly={readOnly} {...inputProps(field, hint)} />
          <input type="hidden" name={regionField.name} />
        </div>
        {action}
      </div>
    </Field>
  );
}

/** The country that a number says itself; undefined when it is written without one. */
async function countryOf(typed: string): Promise<string | undefined> {
  if (!/^\s*(\+|00)/.test(typed)) return undefined;
  const { regionOf } = await import('./countries.ts');
  return regionOf(typed);
}

const never = () => () => undefined;

/** The country assumed for a number without one: what the browser says for the page's language, or that language's own. */
export function useAssumedRegion(): string {
  const { language } = usePage();
  const own = regions[language];
  const wanted = () => {
    const locales = browserLanguages().map(readLocale);
    return locales.find((locale) => locale?.language === language && locale.region)?.region ?? own;
  };
  return useSyncExternalStore(never, wanted, () => own);
}

/** Empty where the browser says none, or an extension against fingerprints lets nobody ask. */
function browserLanguages(): readonly string[] {
  try {
    return [...(navigator.languages ?? [])];
  } catch {
    return [];
  }
}

/** Undefined for what is no language tag: browsers pass on what the system says, such as `en-US@posix`. */
function readLocale(tag: string): Intl.Locale | undefined {
  try {
    return new Intl.Locale(tag);
  } catch {
    return undefined;
  }
}

const library = () => import('../../contract/fields/phone.ts');

/** A typed number as E.164, or undefined when it is not a number. */
export const readTypedPhone = async (typed: string, region: string): Promise<string | undefined> =>
  (await library()).readPhone(typed, region);

/** A number in E.164 as people write it. */
export const writeReadPhone = async (phone: string): Promise<string> => (await library()).writePhone(phone);
