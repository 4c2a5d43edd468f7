import { type KeyboardEvent, type ReactNode, useEffect, useMemo, useState, useSyncExternalStore } from 'react';
import type { FormField } from '../../browser/forms/form.ts';
import { Text, useText } from '../../browser/language/text.tsx';
import { usePage } from '../../browser/navigation/page.tsx';
import { languageOf, regions } from '../../contract/languages.ts';
import { Chevron } from '../icons.tsx';
import { TextButton } from '../text-button.tsx';
import { Field, Input, inputProps } from './field.tsx';
import css from './phone-field.module.css';

interface PhoneFieldProps {
  field: FormField<string>;
  /** The form's field for the chosen country; empty before a choice. */
  regionField: FormField<string>;
  /** The effective country: the chosen or the assumed one. */
  region: string;
  choose: (region: string) => void;
  /** Writes the number that the user meant, if they typed digits that may be two. */
  use: (number: string) => void;
  /** Set while the number is being confirmed, and afterward. */
  readOnly?: boolean;
  /** A button beside the number. */
  action?: ReactNode;
  /** What Enter does in the field; default: it submits the form. */
  onEnter?: (() => void) | undefined;
}

/** A phone number in national or international format, with its country beside it. `+` or `00` selects the country. */
export function PhoneField({
  field,
  regionField,
  region,
  choose,
  use,
  readOnly = false,
  action,
  onEnter,
}: PhoneFieldProps) {
  const hint = <Text id="hint.phone" />;
  const typed = field.value;
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs for each number, however it came into the field
  useEffect(() => {
    let overtaken = false;
    countryOf(typed).then((found) => {
      // Fix the country once someone starts to type, so that another page language does not change it.
      const next = found ?? (typed.trim() && regionField.value === '' ? region : undefined);
      if (!overtaken && next && next !== regionField.value) choose(next);
    }, console.error);
    return () => {
      overtaken = true;
    };
  }, [typed]);
  const readings = useReadings(field.error ? typed : '', region);
  const take = (number: string) => {
    use(number);
    document.getElementById(field.id)?.focus();
  };
  const question = readings.map((number) => (
    <p key={number}>
      <Text
        id="hint.email_suggestion"
        values={{ suggestion: number }}
        tags={{ use: <TextButton dir="ltr" onClick={() => take(number)} /> }}
      />
    </p>
  ));
  function press(event: KeyboardEvent): void {
    if (event.key !== 'Enter' || event.nativeEvent.isComposing) return;
    event.preventDefault();
    onEnter?.();
  }
  return (
    <Field field={field} label="label.phone" hint={hint} news={question.length > 0 && question}>
      <div className={css.line}>
        <div className={css.pair} dir="ltr">
          <CountrySelect region={region} choose={choose} disabled={readOnly} />
          <Input
            type="tel"
            inputMode="tel"
            autoComplete="tel"
            readOnly={readOnly}
            onKeyDown={onEnter && press}
            {...inputProps(field, hint)}
          />
          <input type="hidden" name={regionField.name} />
        </div>
        {action}
      </div>
    </Field>
  );
}

/** The numbers that digits without `+` may mean, as people write them; none if it is clear. */
function useReadings(typed: string, region: string): readonly string[] {
  const [readings, setReadings] = useState<readonly string[]>([]);
  useEffect(() => {
    let overtaken = false;
    const read = async () => {
      if (typed === '') return [];
      const { phoneReadings, writePhone } = await library();
      const found = phoneReadings(typed, region);
      return found.length > 1 ? found.map(writePhone) : [];
    };
    read().then((found) => {
      if (!overtaken) setReadings(found);
    }, console.error);
    return () => {
      overtaken = true;
    };
  }, [typed, region]);
  return readings;
}

/** Chooses a country by its name in the page's language; shows only its codes, since a number needs the room. */
function CountrySelect({
  region,
  choose,
  disabled,
}: Pick<PhoneFieldProps, 'region' | 'choose'> & { disabled: boolean }) {
  const t = useText();
  const { tag, dir } = languageOf(usePage().language);
  const [library, setLibrary] = useState<typeof import('./countries.ts')>();
  const [isUsed, setUsed] = useState(false);
  useEffect(() => {
    import('./countries.ts').then(setLibrary).catch(console.error);
  }, []);
  // The names of all countries are slow to sort, and few visitors need them.
  const use = () => setUsed(true);
  const only = isUsed && library ? undefined : region;
  const countries = useMemo(() => {
    if (only) return [{ region: only, name: library?.nameCountry(only, tag) ?? only }];
    return library?.countriesIn(tag) ?? [];
  }, [only, library, tag]);
  return (
    <div className={css.country}>
      <span aria-hidden="true">
        {region} {library?.callingCodeOf(region)}
      </span>
      <Chevron />
      <select
        aria-label={t('label.country')}
        dir={dir}
        autoComplete="off"
        disabled={disabled}
        value={region}
        onPointerEnter={use}
        onPointerDown={use}
        onFocus={use}
        onChange={({ target }) => choose(target.value)}
      >
        {countries.map((country) => (
          <option key={country.region} value={country.region}>
            {country.name}
          </option>
        ))}
      </select>
    </div>
  );
}

/** The country in an international number; undefined for a national number. */
async function countryOf(typed: string): Promise<string | undefined> {
  if (!/^\s*(\+|00)/.test(typed)) return undefined;
  return (await library()).regionOf(typed);
}

const never = () => () => undefined;

/**
 * The assumed country: that of the current number (E.164), or the first that has the browser's time zone among those of
 * its languages and ours; else the browser's region for the page's language, or the default of that language.
 */
export function useAssumedRegion(current = ''): string {
  const { language } = usePage();
  const own = regions[language];
  const [ofCurrent, setOfCurrent] = useState<string>();
  useEffect(() => {
    countryOf(current).then(setOfCurrent, console.error);
  }, [current]);
  const wanted = () => {
    const locales = browserLanguages().map(readLocale);
    const ofLanguage = locales.find((locale) => locale?.language === language && locale.region)?.region ?? own;
    const others = [...locales.map((locale) => locale?.maximize().region), ...Object.values(regions)];
    return [ofLanguage, ...others].find(isHere) ?? ofLanguage;
  };
  const assumed = useSyncExternalStore(never, wanted, () => own);
  return ofCurrent ?? assumed;
}

const here = new Map<string, boolean>();

/** Whether the browser's time zone is one of the country's. Kept, because a browser takes a while to list them. */
function isHere(region: string | undefined): boolean {
  if (region === undefined) return false;
  const known = here.get(region) ?? sharesZone(region);
  here.set(region, known);
  return known;
}

function sharesZone(region: string): boolean {
  try {
    return zonesOf(region).includes(new Intl.DateTimeFormat().resolvedOptions().timeZone);
  } catch {
    // Browsers against tracking may refuse to tell.
    return false;
  }
}

/** Older browsers do not know the zones of a country, or have them as a property. */
interface ZonedLocale {
  getTimeZones?(): readonly string[] | undefined;
}

const zonesOf = (region: string): readonly string[] =>
  (new Intl.Locale(`und-${region}`) as ZonedLocale).getTimeZones?.() ?? [];

/** Empty if the browser has none, or if an extension against fingerprinting blocks access. */
function browserLanguages(): readonly string[] {
  try {
    return [...(navigator.languages ?? [])];
  } catch {
    return [];
  }
}

/** Undefined for an invalid language tag: browsers pass on the system's value, such as `en-US@posix`. */
function readLocale(tag: string): Intl.Locale | undefined {
  try {
    return new Intl.Locale(tag);
  } catch {
    return undefined;
  }
}

const library = () => import('../../contract/fields/phone.ts');

/** A typed number as E.164; undefined if it is not a phone number. */
export const readTypedPhone = async (typed: string, region: string): Promise<string | undefined> =>
  (await library()).readPhone(typed, region);

/** Formats an E.164 number for people. */
export const writeReadPhone = async (phone: string): Promise<string> => (await library()).writePhone(phone);
