import { useEffect, useState } from 'react';
import { byDay, useTimes } from '../../../../browser/language/times.ts';
import { useRequest } from '../../../../browser/requests/request-status.ts';
import { sendRequest } from '../../../../browser/requests/send-request.ts';
import type { TimelineKind } from '../../../../contract/console.ts';
import type { ResponseBody } from '../../../../contract/endpoint.ts';
import { Sheet, SheetEmpty } from '../../../../ui/layouts/card.tsx';
import { DayTitle } from '../../../../ui/layouts/page-head.tsx';
import { DeviceName } from '../../../account/sessions/device.part.tsx';
import { readTimeline } from '../../people.contract.ts';
import { Chip, Chips } from '../layout/chips.part.tsx';
import { ListEnd } from '../layout/console-failed.part.tsx';
import { type Entry, EntryName, EntryOutcome, kindWords } from '../words/entry.part.tsx';
import css from './timeline.module.css';

type Page = ResponseBody<typeof readTimeline>;

/** Everything that happened to a person, the newest first. */
export function Timeline({ id }: { id: string }) {
  const [kind, choose] = useState<TimelineKind>();
  const [page, setPage] = useState<Page>();
  const request = useRequest(async (signal, cursor?: string) => {
    const query = { ...(kind && { kind }), ...(cursor && { cursor }) };
    const read = await sendRequest(readTimeline, { params: { id }, query, signal });
    setPage((before) => (cursor && before ? { ...read, items: [...before.items, ...read.items] } : read));
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: another filter replaces the entries
  useEffect(() => request.restart(), [kind]);
  const isBusy = request.state === 'pending';
  return (
    <Sheet title="account.activity" busy={isBusy}>
      <div className={css.bar}>
        <Chips label="records.filters">
          <Chip pressed={kind === undefined} press={() => choose(undefined)} label="dashboard.filter_all" />
          {(Object.keys(kindWords) as TimelineKind[]).map((one) => (
            <Chip key={one} pressed={kind === one} press={() => choose(one)} label={kindWords[one]} />
          ))}
        </Chips>
      </div>
      {page?.items.length === 0 && <SheetEmpty id="console_timeline.none" role="status" />}
      {byDay(page?.items ?? []).map(({ date, entries }) => (
        <div key={date} className={css.day}>
          <DayTitle at={entries[0].at} level="h3" />
          <ul className={css.entries}>
            {entries.map((entry) => (
              <Line key={entry.kind + entry.id} entry={entry} />
            ))}
          </ul>
        </div>
      ))}
      <ListEnd request={request} next={page?.next} />
    </Sheet>
  );
}

function Line({ entry }: { entry: Entry }) {
  const { time } = useTimes();
  const { at, ip, device, actor, actor_name, reason } = entry;
  return (
    <li>
      <time dateTime={at}>{time(at)}</time>
      <span>
        <EntryName entry={entry} />{' '}
        <span className={css.detail}>
          {ip && (
            <>
              {device && <DeviceName name={device} />} <bdi>{ip}</bdi>
            </>
          )}{' '}
          <EntryOutcome entry={entry} /> {actor && <bdi>{actor_name ?? actor}</bdi>} {reason && <bdi>{reason}</bdi>}
        </span>
      </span>
    </li>
  );
}
