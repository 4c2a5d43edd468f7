import { type ReactNode, useId, useRef, useState } from 'react';
import { Text, useText } from '../../../browser/language/text.tsx';
import { useNow, useTimes } from '../../../browser/language/times.ts';
import { ButtonLink } from '../../../ui/button.tsx';
import { Input } from '../../../ui/fields/input.tsx';
import { Card } from '../../../ui/layouts/card.tsx';
import { TextButton } from '../../../ui/text-button.tsx';
import { VisuallyHidden } from '../../../ui/visually-hidden.tsx';
import { LongList } from '../long-list.part.tsx';
import { RecordWords } from '../records/record-words.part.tsx';
import { type Computer, DeviceState, stateOf } from './device-state.part.tsx';
import css from './devices.module.css';
import { ManageDevice } from './manage-device.part.tsx';
import { platformName } from './platform.part.tsx';
import { Signs } from './signs.part.tsx';

/** Longer lists are shown in parts and can be searched. */
const shownAtOnce = 25;
const lights = { now: css.now, lately: css.lately, silent: css.silent };

interface DevicesProps {
  readonly computers: readonly Computer[];
  /** When `computers` were read: milliseconds since the epoch. */
  readonly at: number;
  /** Called after a change. */
  readonly changed: () => void;
}

/** The devices: all of a short list, or the matches of a search in a long one. */
export function Devices({ computers, at, changed }: DevicesProps) {
  const [managed, setManaged] = useState<string>();
  const [sought, setSought] = useState('');
  const heading = useRef<HTMLHeadingElement>(null);
  const since = useNow() - at;
  const words = plain(sought).split(/\s+/);
  const found = computers.filter(({ name, platform }) => {
    const known = plain(`${name} ${platformName(platform)}`);
    return words.every((word) => known.includes(word));
  });
  const done = () => {
    setManaged(undefined);
    heading.current?.focus();
    changed();
  };
  return (
    <Card>
      <h2 ref={heading} tabIndex={-1}>
        <Text id="dashboard.devices" />
      </h2>
      {(computers.length > shownAtOnce || sought !== '') && (
        <Find sought={sought} seek={setSought} found={found.length} />
      )}
      <LongList
        key={sought}
        className={css.list}
        atFirst={shownAtOnce}
        step={shownAtOnce}
        kept={managed}
        items={found.map((computer) => (
          <Device
            key={computer.id}
            computer={computer}
            silentFor={computer.silent_for + since}
            manage={() => setManaged(managed === computer.id ? undefined : computer.id)}
          >
            {managed === computer.id && <ManageDevice computer={computer} done={done} />}
          </Device>
        ))}
        more={(count, show) => (
          <TextButton onClick={show}>
            <Text id="dashboard.attention_more" values={{ count }} />
          </TextButton>
        )}
      />
      <ButtonLink to="/computers/add/" label="dashboard.add" quiet narrow />
    </Card>
  );
}

/** Text for the search: without capitals and accents. */
const plain = (text: string) => text.toLowerCase().normalize('NFKD').replace(/\p{M}/gu, '').trim();

interface FindProps {
  readonly sought: string;
  readonly seek: (words: string) => void;
  /** Number of matches. */
  readonly found: number;
}

function Find({ sought, seek, found }: FindProps) {
  const id = useId();
  return (
    <search className={css.find}>
      <label htmlFor={id} className={css.label}>
        <Text id="dashboard.find" />
      </label>
      <output htmlFor={id} className={css.detail}>
        {sought !== '' && <Text id="dashboard.found" values={{ count: found }} />}
      </output>
      <Input
        id={id}
        type="search"
        name="find"
        autoComplete="off"
        spellCheck={false}
        value={sought}
        onChange={({ target }) => seek(target.value)}
      />
    </search>
  );
}

interface DeviceProps {
  readonly computer: Computer;
  /** Milliseconds. */
  readonly silentFor: number;
  readonly manage: () => void;
  /** The form that manages the device, once it is open. */
  readonly children: ReactNode;
}

function Device({ computer: { name, platform, signs, newest }, silentFor, manage, children }: DeviceProps) {
  const t = useText();
  const { when } = useTimes();
  return (
    <li className={css.device}>
      <span className={`${css.light} ${lights[stateOf(silentFor)]}`} />
      <div className={css.words}>
        <span className={css.name}>
          <bdi>{name}</bdi>
        </span>
        <span className={css.detail}>
          <bdi translate="no">{platformName(platform)}</bdi>
          <span>
            <DeviceState silentFor={silentFor} />
          </span>
        </span>
        {newest && (
          <span className={`${css.detail} ${css.newest}`}>
            <time dateTime={newest.at}>{when(newest.at)}</time>
            <span>
              <RecordWords kind={newest.kind} text={newest.text} />
            </span>
          </span>
        )}
      </div>
      <div className={css.signs}>
        <Signs signs={signs} />
      </div>
      <button type="button" className={css.manage} aria-expanded={Boolean(children)} onClick={manage}>
        {t('dashboard.manage')}
        <VisuallyHidden> {name}</VisuallyHidden>
      </button>
      {children && <div className={css.managed}>{children}</div>}
    </li>
  );
}
