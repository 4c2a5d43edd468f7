import { type ReactNode, useState } from 'react';
import { Text, useText } from '../../../../browser/language/text.tsx';
import { useTimes } from '../../../../browser/language/times.ts';
import { sendRequest } from '../../../../browser/requests/send-request.ts';
import type { guessPlaces, TimelineKind, timelineStates } from '../../../../contract/console.ts';
import type { ResponseBody } from '../../../../contract/endpoint.ts';
import type { MessageId } from '../../../../messages/ids.ts';
import { Sheet, SheetEmpty } from '../../../../ui/layouts/card.tsx';
import { DeviceName } from '../../../account/lines.part.tsx';
import { activityWords } from '../../../account/sessions/activity.part.tsx';
import { readTimeline } from '../../people.contract.ts';
import { Days, Details, FilterBar, Filters, ListEnd, usePages } from '../layout/list.part.tsx';
import { actionWords, alarmWords } from '../words/codes.part.ts';
import { useNoticeName, wayWords } from '../words/sentence.part.tsx';

/** Everything that happened to a person, the newest first. */
export function Timeline({ id }: { id: string }) {
  const [kind, choose] = useState<TimelineKind>();
  const list = usePages(
    (signal, cursor) => {
      const query = { ...(kind && { kind }), ...(cursor && { cursor }) };
      return sendRequest(readTimeline, { params: { id }, query, signal });
    },
    [kind],
  );
  return (
    <Sheet title="account.activity" busy={list.isBusy}>
      <FilterBar>
        <Filters names={kindWords} chosen={[kind]} choose={choose} clear={() => choose(undefined)} />
      </FilterBar>
      {list.page?.items.length === 0 && <SheetEmpty id="console_timeline.none" role="status" />}
      <Days of={list.page?.items ?? []} level="h3">
        {(entry) => <Line entry={entry} />}
      </Days>
      <ListEnd list={list} />
    </Sheet>
  );
}

function Line({ entry }: { entry: Entry }) {
  const { ip, device, actor, actor_name, reason } = entry;
  const outcome = useOutcome(entry);
  return (
    <span>
      <EntryName entry={entry} />{' '}
      <Details
        of={[
          ip && device && <DeviceName key="device" name={device} />,
          ip,
          ...outcome,
          actor && (actor_name ?? actor),
          reason,
        ]}
      />
    </span>
  );
}

type Entry = ResponseBody<typeof readTimeline>['items'][number];

/** The kinds of events of an account. */
const kindWords = {
  sign_ins: 'console_timeline.sign_ins',
  refusals: 'console_timeline.refusals',
  emails: 'account.emails',
  calls: 'console_timeline.calls',
  changes: 'console_timeline.changes',
  alarms: 'account_alarms.page',
  operators: 'console_operators.page',
} as const satisfies Record<TimelineKind, MessageId>;

type Words = Readonly<Record<string, MessageId>>;

const stateWords: Words = {
  sent: 'console_timeline.sent',
  waits: 'console_timeline.waits',
  given_up: 'console_timeline.given_up',
  held_back: 'console_timeline.held_back',
  calling: 'console_timeline.calling',
  placed: 'console_timeline.placed',
  failed: 'console_timeline.failed',
  confirmed: 'account.confirmed',
} satisfies Record<(typeof timelineStates)[number], MessageId>;

const placeWords: Words = {
  new_browsers: 'console_timeline.on_new_browsers',
  known_device: 'console_timeline.on_known_device',
  signed_in: 'console_timeline.while_signed_in',
} satisfies Record<(typeof guessPlaces)[number], MessageId>;

const guessWords: Words = {
  wrong_password: 'console_timeline.wrong_passwords',
  wrong_second_step: 'console_timeline.wrong_codes',
};

const wordsOf = ({ kind, code }: Entry): MessageId | undefined => {
  if (kind === 'operators') return actionWords[code];
  if (kind === 'calls') return wayWords[code];
  if (kind === 'alarms') return alarmWords[code];
  return guessWords[code] ?? (activityWords as Words)[code];
};

/** What happened, in the operator's language; the code of a newer server after what it is about. */
function EntryName({ entry }: { entry: Entry }) {
  const noticeName = useNoticeName();
  const { kind, code, params } = entry;
  if (kind === 'emails') return <bdi>{noticeName(code)}</bdi>;
  const id = wordsOf(entry);
  if (id)
    return <Text id={id} values={{ count: Number(params.count ?? 0), name: String(params.words ?? '') }} dir="auto" />;
  return (
    <>
      <Text id={kindWords[kind]} />
      {': '}
      <bdi lang="en" dir="ltr">
        {code.replaceAll('_', ' ')}
      </bdi>
    </>
  );
}

/** How it ended, and words of others; the sentence of the server if it came without its parts. */
function useOutcome({ kind, outcome, params }: Entry): readonly ReactNode[] {
  const t = useText();
  const { when } = useTimes();
  const { state, on, until, words } = params;
  if (Object.keys(params).length === 0)
    return [
      outcome && (
        <bdi key="outcome" lang="en" dir="ltr">
          {outcome}
        </bdi>
      ),
    ];
  const known = [stateWords[String(state)], placeWords[String(on)]].map((id) => id && t(id));
  const end = until && when(String(until));
  return [
    ...known,
    end && state === 'waits' ? t('console_timeline.next_attempt', { when: end }) : end,
    kind !== 'alarms' && words,
  ];
}
