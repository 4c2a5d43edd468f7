import { type ReactNode, useId, useMemo, useState } from 'react';
import { useSortedByName } from '../../browser/language/language.tsx';
import { Text } from '../../browser/language/text.tsx';
import { notifyOtherTabs } from '../../browser/requests/account-changes.ts';
import { sendRequest } from '../../browser/requests/send-request.ts';
import type { MessageId } from '../../messages/ids.ts';
import { NameOptions, Select } from '../../ui/fields/choice-fields.tsx';
import { Card } from '../../ui/layouts/card.tsx';
import { TextButton } from '../../ui/text-button.tsx';
import { VisuallyHidden } from '../../ui/text-on-page.tsx';
import css from './alarm-exceptions.module.css';
import { type Alarms, changeTagAlarms } from './alarms.contract.ts';
import { DeviceAlarms, Muted, SilenceForm, useAlarmDurations } from './device-alarms.part.tsx';

interface Named {
  readonly id: string;
  readonly name: string;
}

interface AlarmExceptionsProps {
  title: MessageId;
  hint?: MessageId;
  /** Those that have rules of their own; the details are `ExceptionDetail` elements. */
  exceptions: readonly (Named & { readonly details: ReactNode })[];
  /** Label of the list from which any can be chosen. */
  label: MessageId;
  all: readonly Named[];
  /** Id of the chosen one. */
  chosen: string;
  choose: (id: string) => void;
  /** The form of the chosen one. */
  children: ReactNode;
}

/** The exceptions from the account’s rules, and a list from which any device or tag can be chosen. */
function AlarmExceptions({ title, hint, exceptions, label, all, chosen, choose, children }: AlarmExceptionsProps) {
  const id = useId();
  return (
    <Card>
      <h2>
        <Text id={title} />
      </h2>
      {hint && (
        <p className={css.detail}>
          <Text id={hint} />
        </p>
      )}
      {exceptions.length > 0 && (
        <ul className={css.list}>
          {exceptions.map((one) => (
            <li key={one.id} className={css.item}>
              <div className={css.words}>
                <span>
                  <bdi>{one.name}</bdi>
                </span>
                {one.details}
              </div>
              <TextButton onClick={() => choose(one.id)}>
                <Text id="alarms.manage" />
                <VisuallyHidden> {one.name}</VisuallyHidden>
              </TextButton>
            </li>
          ))}
        </ul>
      )}
      <div className={css.device}>
        <label htmlFor={id}>
          <Text id={label} />
        </label>
        <Select id={id} value={chosen} onChange={({ target }) => choose(target.value)}>
          <NameOptions of={all} selected={chosen} />
        </Select>
      </div>
      {children}
    </Card>
  );
}

/** A fact about an exception, in small type. */
const ExceptionDetail = ({ children }: { children: ReactNode }) => <span className={css.detail}>{children}</span>;

type Device = Alarms['computers'][number];

/** The devices that have rules of their own or are muted, and the form of any device. */
export function DeviceExceptions({ alarms, changed }: { alarms: Alarms; changed: (device: Device) => void }) {
  const devices = useSortedByName(alarms.computers);
  const [chosen, choose] = useState(devices[0]?.id);
  const device = devices.find((one) => one.id === chosen) ?? devices[0];
  const exceptions = devices
    .filter(({ muted, rules }) => muted || rules !== null)
    .map((one) => ({ ...one, details: <Details device={one} /> }));
  return (
    <AlarmExceptions
      title="alarms.devices"
      exceptions={exceptions}
      label="dashboard.filter_device"
      all={devices}
      chosen={device?.id ?? ''}
      choose={choose}
    >
      {device && <DeviceAlarms key={device.id} alarms={alarms} device={device} changed={changed} />}
    </AlarmExceptions>
  );
}

function Details({ device }: { device: Device }) {
  const inWords = useAlarmDurations();
  const { rules } = device;
  return (
    <>
      {rules && (
        <ExceptionDetail>
          <Text id="alarms.own" values={{ value: inWords(rules.silent_after_minutes) }} dir="auto" />
        </ExceptionDetail>
      )}
      <ExceptionDetail>
        <Muted device={device} />
      </ExceptionDetail>
    </>
  );
}

/** The tags that have rules of their own, and the form of any tag. Empty without tags. */
export function TagExceptions({ alarms, changed }: { alarms: Alarms; changed: (tags: Alarms['tags']) => void }) {
  const inWords = useAlarmDurations();
  const tags = useSortedByName(useTags(alarms));
  const [chosen, choose] = useState(tags[0]?.id);
  const tag = tags.find(({ id }) => id === chosen)?.id ?? tags[0]?.id;
  if (tag === undefined) return null;
  const exceptions = alarms.tags.map((one) => ({
    id: one.tag,
    name: one.tag,
    details: (
      <ExceptionDetail>
        <Text id="alarms.own" values={{ value: inWords(one.rules.silent_after_minutes) }} dir="auto" />
      </ExceptionDetail>
    ),
  }));
  return (
    <AlarmExceptions
      title="alarms.tags"
      hint="alarms.tags_hint"
      exceptions={exceptions}
      label="devices.tag"
      all={tags}
      chosen={tag}
      choose={choose}
    >
      <SilenceForm
        key={tag}
        name="alarm_tag_silent"
        label="alarms.silent_tag"
        usual="alarms.as_all"
        save="alarms.save_tag"
        rules={alarms.tags.find((one) => one.tag === tag)?.rules ?? null}
        account={alarms}
        send={async (rules, signal) => {
          changed((await sendRequest(changeTagAlarms, { body: { tag, rules }, signal })).tags);
          notifyOtherTabs();
        }}
      />
    </AlarmExceptions>
  );
}

/** All tags of the devices, and those that still have rules. */
function useTags({ tags, computers }: Alarms): readonly { readonly id: string; readonly name: string }[] {
  return useMemo(() => {
    const all = [...tags.map(({ tag }) => tag), ...computers.flatMap((computer) => computer.tags)];
    return [...new Set(all)].map((tag) => ({ id: tag, name: tag }));
  }, [tags, computers]);
}
