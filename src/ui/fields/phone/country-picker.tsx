import { type KeyboardEvent, useEffect, useMemo, useRef, useState } from 'react';
import { Text, useText } from '../../../browser/language/text.tsx';
import { usePage } from '../../../browser/navigation/page.tsx';
import { languageOf } from '../../../contract/languages.ts';
import { Chevron } from '../../icons.tsx';
import { Menu } from '../../menus/menu.tsx';
import { VisuallyHidden } from '../../visually-hidden.tsx';
import { Input } from '../input.tsx';
import type { Country } from './countries.ts';
import css from './country-picker.module.css';

type Countries = typeof import('./countries.ts');

/** Chooses the country of a phone number: a combobox that searches in the page's language. */
export function CountryPicker({ region, choose }: { region: string; choose: (region: string) => void }) {
  const t = useText();
  const { tag, dir } = languageOf(usePage().language);
  const [library, setLibrary] = useState<Countries>();
  const [open, setOpen] = useState(false);
  const [search, setSearch] = useState('');
  const [at, setAt] = useState(0);
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    import('./countries.ts').then(setLibrary).catch(console.error);
  }, []);

  const current = useMemo(() => library?.showCountry(region, tag), [library, region, tag]);
  const found = open && library ? library.searchCountries(library.countriesIn(tag), search, tag) : [];
  const active = found[at];
  useEffect(() => {
    if (active) document.getElementById(`country-${active.region}`)?.scrollIntoView({ block: 'nearest' });
  }, [active]);

  const look = (words: string) => {
    setSearch(words);
    setAt(0);
  };
  const take = (country: Country | undefined, hide: () => void) => {
    if (!country) return;
    hide();
    choose(country.region);
  };
  const steer = (event: KeyboardEvent, hide: () => void) => {
    const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1, PageDown: 8, PageUp: -8 };
    const step = steps[event.key];
    if (step === undefined && event.key !== 'Enter') return;
    event.preventDefault();
    if (step === undefined) take(active, hide);
    else setAt(Math.min(Math.max(at + step, 0), Math.max(found.length - 1, 0)));
  };

  const button = (
    <>
      <VisuallyHidden>
        {t('label.country')} {current?.name}
      </VisuallyHidden>
      <span className={css.region}>
        {region} {current?.callingCode}
      </span>
      <Chevron />
    </>
  );
  return (
    <Menu
      id="countries"
      className={css.popup}
      button={button}
      onToggle={(next) => {
        setOpen(next);
        setSearch('');
        if (!next) return;
        const shown = library?.countriesIn(tag).findIndex((country) => country.region === region) ?? 0;
        setAt(Math.max(shown, 0));
        input.current?.focus();
      }}
    >
      {(hide) => (
        <div dir={dir} className={css.inside}>
          <Input
            ref={input}
            type="text"
            role="combobox"
            aria-label={t('label.country_search')}
            aria-expanded={open}
            aria-controls="country-list"
            aria-autocomplete="list"
            aria-activedescendant={active && `country-${active.region}`}
            placeholder={t('label.country_search')}
            autoComplete="off"
            spellCheck={false}
            value={search}
            onInput={(event) => event.stopPropagation()}
            onChange={(event) => look(event.target.value)}
            onKeyDown={(event) => steer(event, hide)}
          />
          {/* ARIA requires options in a listbox, so the closed list has no role. */}
          <ul
            id="country-list"
            {...(open && { role: 'listbox', 'aria-label': t('label.country') })}
            className={css.list}
          >
            {found.map((country) => (
              <li
                key={country.region}
                id={`country-${country.region}`}
                role="option"
                aria-selected={country === active}
                className={css.option}
                onPointerDown={(event) => event.preventDefault()}
                onClick={() => take(country, hide)}
              >
                <span>{country.name}</span>
                <bdi dir="ltr" className={css.code}>
                  {country.callingCode}
                </bdi>
              </li>
            ))}
          </ul>
          <p role="status" className={css.none}>
            {open && library && found.length === 0 && <Text id="label.country_none" />}
          </p>
        </div>
      )}
    </Menu>
  );
}
