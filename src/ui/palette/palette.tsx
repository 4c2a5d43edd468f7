import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { useLanguageChoice } from '../../browser/language/language.tsx';
import { Text, useText } from '../../browser/language/text.tsx';
import { useGo } from '../../browser/navigation/navigation.tsx';
import { usePage } from '../../browser/navigation/page.tsx';
import { themes, useTheme } from '../../browser/platform/theme.ts';
import { type RequestFailure, useRequest } from '../../browser/requests/request-status.ts';
import { sendRequest } from '../../browser/requests/send-request.ts';
import type { ResponseBody } from '../../contract/endpoint.ts';
import { languageOf, languages } from '../../contract/languages.ts';
import { wordsFinder } from '../../contract/plain-text.ts';
import { listComputers } from '../../devices/contract/computers.ts';
import { Dialog } from '../dialog.tsx';
import { Failed } from '../feedback/feedback.tsx';
import { Input } from '../fields/field.tsx';
import { Globe, HalfMoon } from '../icons.tsx';
import {
  Leave,
  type MenuPlace,
  Overview,
  Person,
  placesOfAccount,
  Screen,
  Siren,
  sectionsOfAccount,
} from '../layouts/places.tsx';
import { themeWords } from '../menus/frame-menus.tsx';
import { TextButton } from '../text-button.tsx';
import { VisuallyHidden } from '../visually-hidden.tsx';
import css from './palette.module.css';

export interface PaletteProps {
  readonly close: () => void;
  readonly signOut: () => void;
}

interface Command {
  readonly id: string;
  readonly name: string;
  readonly icon: ReactNode;
  /** After the name, such as the tags of a device; found as well. */
  readonly also?: string;
  /** BCP 47, of a name in another language. */
  readonly lang?: string;
  /** Only for those who search. */
  readonly isRare?: true;
  readonly run: () => void;
}

/** Whoever sees so many types another letter. */
const maxShown = 50;

/** Goes to a page or device, or does something, found by its name: a combobox whose list is always open (ARIA APG). */
export function Palette({ close, signOut }: PaletteProps) {
  const t = useText();
  const id = useId();
  const dialog = useRef<HTMLDialogElement>(null);
  const list = useRef<HTMLUListElement>(null);
  const [find, setFind] = useState('');
  const [at, setAt] = useState(0);
  const { devices, failure } = useDevices();
  const commands = useCommands(signOut);
  const isFound = wordsFinder(find);
  const isSearched = find.trim() !== '';
  const found: readonly Command[] = [...commands.pages, ...(isSearched ? devices : []), ...commands.acts].filter(
    ({ name, also = '', isRare }) => (isSearched ? isFound(`${name} ${also}`) : !isRare),
  );
  const shown = found.slice(0, maxShown);
  const current = shown[at];
  useEffect(() => dialog.current?.showModal(), []);
  useEffect(() => {
    if (current) list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' });
  }, [current]);
  /** The focus returns to where it was, before the next page may move it. */
  const leave = () => {
    dialog.current?.close();
    close();
  };
  const run = (command: Command) => {
    leave();
    command.run();
  };
  function press(event: KeyboardEvent) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    // Enter also ends the composition of a Chinese or Japanese word.
    if (event.nativeEvent.isComposing || (step === undefined && event.key !== 'Enter')) return;
    event.preventDefault();
    if (!current) return;
    if (step === undefined) run(current);
    else setAt((at + step + shown.length) % shown.length);
  }
  return (
    <Dialog ref={dialog} labelledBy={`${id}label`} cancel={leave}>
      <div>
        <label id={`${id}label`} htmlFor={`${id}find`}>
          <VisuallyHidden text="label.search" />
        </label>
        <Input
          id={`${id}find`}
          type="text"
          enterKeyHint="go"
          name="command"
          role="combobox"
          aria-expanded="true"
          aria-controls={`${id}list`}
          aria-autocomplete="list"
          aria-activedescendant={current && `${id}${current.id}`}
          autoComplete="off"
          spellCheck={false}
          placeholder={t('label.search')}
          value={find}
          onChange={({ target }) => {
            setFind(target.value);
            setAt(0);
          }}
          onKeyDown={press}
        />
      </div>
      <div className={css.results}>
        <ul ref={list} id={`${id}list`} role="listbox" aria-label={t('label.search')} className={css.list}>
          {shown.map((command) => (
            <li
              key={command.id}
              id={`${id}${command.id}`}
              role="option"
              aria-selected={command === current}
              className={css.option}
              // The field above has the keys.
              onClick={() => run(command)}
            >
              {command.icon}
              <bdi className={css.name} lang={command.lang}>
                {command.name}
              </bdi>
              {command.also && <bdi className={css.also}>{command.also}</bdi>}
            </li>
          ))}
        </ul>
        <output htmlFor={`${id}find`} className={shown.length === 0 ? css.none : css.count}>
          {isSearched && <Text id="palette.found" values={{ count: found.length }} />}
        </output>
      </div>
      <Failed failure={failure} />
      <div>
        <TextButton onClick={leave}>
          <Text id="account.cancel" />
        </TextButton>
      </div>
    </Dialog>
  );
}

/** The devices of the account, as commands that go to their pages. */
function useDevices(): { readonly devices: readonly Command[]; readonly failure: RequestFailure | undefined } {
  const go = useGo();
  const [devices, setDevices] = useState<ResponseBody<typeof listComputers>['computers']>([]);
  const { settings } = usePage();
  const reading = useRequest(async (signal) => {
    if (settings.devices) setDevices((await sendRequest(listComputers, { signal })).computers);
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once, when the palette opens
  useEffect(() => void reading.start(), []);
  return {
    failure: reading.error,
    devices: devices.map(({ id, name, tags }) => ({
      id: `device-${id}`,
      name,
      icon: <Screen />,
      also: tags.join(', '),
      run: () => go(`/devices/${encodeURIComponent(id)}/`),
    })),
  };
}

const places: readonly MenuPlace[] = [
  ...placesOfAccount,
  { to: '/alarms/rules/', label: 'rules.title', icon: <Siren />, ofDevices: true },
  { to: '/dashboard/wall/', label: 'wall.page', icon: <Overview />, ofDevices: true },
  ...sectionsOfAccount.slice(1).map(([to, label]) => ({ to, label, icon: <Person /> })),
];

function useCommands(signOut: () => void): { readonly pages: readonly Command[]; readonly acts: readonly Command[] } {
  const t = useText();
  const go = useGo();
  const { settings, language } = usePage();
  const { theme, choose } = useTheme();
  const chooseLanguage = useLanguageChoice();
  return {
    pages: places
      .filter(({ ofDevices }) => settings.devices || !ofDevices)
      .map(({ to, label, icon }) => ({ id: to, name: t(label), icon, run: () => go(to) })),
    acts: [
      ...themes
        .filter((offered) => offered !== theme)
        .map((offered) => ({
          id: `theme-${offered}`,
          name: `${t('frame.theme')}: ${t(themeWords[offered])}`,
          icon: <HalfMoon />,
          run: () => choose(offered),
        })),
      { id: 'sign-out', name: t('account_frame.sign_out'), icon: <Leave />, run: signOut },
      ...languages
        .filter(({ code }) => code !== language)
        .map(({ code, name }) => ({
          id: `language-${code}`,
          name,
          icon: <Globe />,
          also: t('frame.language'),
          lang: languageOf(code).tag,
          isRare: true as const,
          run: () => chooseLanguage(code),
        })),
    ],
  };
}
