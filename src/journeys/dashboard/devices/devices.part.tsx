import { type ReactNode, useRef, useState } from 'react';
import { Text, useText } from '../../../browser/language/text.tsx';
import { useNow, useTimes } from '../../../browser/language/times.ts';
import { usePage } from '../../../browser/navigation/page.tsx';
import { languageOf } from '../../../contract/languages.ts';
import { ButtonLink } from '../../../ui/button.tsx';
import { Card } from '../../../ui/layouts/card.tsx';
import { VisuallyHidden } from '../../../ui/visually-hidden.tsx';
import { RecordWords } from '../records/record-words.part.tsx';
import { type Computer, DeviceState, stateOf } from './device-state.part.tsx';
import css from './devices.module.css';
import { ManageDevice } from './manage-device.part.tsx';
import { platformName } from './platform.part.tsx';
import { Signs } from './signs.part.tsx';

const lights = { now: css.now, lately: css.lately, silent: css.silent };

interface DevicesProps {
  readonly computers: readonly Computer[];
  /** When they were read: milliseconds since 1970. */
  readonly at: number;
  /** Something was changed here. */
  readonly changed: () => void;
}

/** Every device, by name. */
export function Devices({ computers, at, changed }: DevicesProps) {
  const [managed, setManaged] = useState<string>();
  const heading = useRef<HTMLHeadingElement>(null);
  const since = useNow() - at;
  const { compare } = new Intl.Collator(languageOf(usePage().language).tag, { numeric: true });
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
      <ul className={css.list}>
        {computers
          .toSorted((one, other) => compare(one.name, other.name))
          .map((computer) => (
            <Device
              key={computer.id}
              computer={computer}
              silentFor={computer.silent_for + since}
              manage={() => setManaged(managed === computer.id ? undefined : computer.id)}
            >
              {managed === computer.id && <ManageDevice computer={computer} done={done} />}
            </Device>
          ))}
      </ul>
      <ButtonLink to="/computers/add/" label="dashboard.add" quiet narrow />
    </Card>
  );
}

interface DeviceProps {
  readonly computer: Computer;
  /** Milliseconds. */
  readonly silentFor: number;
  readonly manage: () => void;
  /** What can be done with it, once somebody wants to. */
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
