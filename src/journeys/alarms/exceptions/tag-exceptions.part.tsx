import { useMemo, useState } from 'react';
import { useSortedByName } from '../../../browser/language/collation.ts';
import { Text } from '../../../browser/language/text.tsx';
import { notifyOtherTabs } from '../../../browser/requests/account-changes.ts';
import { sendRequest } from '../../../browser/requests/send-request.ts';
import { type Alarms, changeTagAlarms } from '../alarms.contract.ts';
import { useAlarmDurations } from '../rules/alarm-durations.part.tsx';
import { AlarmExceptions, ExceptionDetail } from './alarm-exceptions.part.tsx';
import { SilenceForm } from './silence-form.part.tsx';

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
