import { Text, useText } from '../../../../browser/language/text.tsx';
import { useTimes } from '../../../../browser/language/times.ts';
import { usePage } from '../../../../browser/navigation/page.tsx';
import type { ConfirmationWay } from '../../../../contract/call-ways.ts';
import type { guessPlaces, TimelineKind, timelineStates } from '../../../../contract/console.ts';
import type { ResponseBody } from '../../../../contract/endpoint.ts';
import type { MessageId } from '../../../../messages/ids.ts';
import { activityWords } from '../../../account/sessions/activity.part.tsx';
import type { readTimeline } from '../../people.contract.ts';
import { actionWords, alarmWords, noticeSubjects } from './codes.part.ts';

export type Entry = ResponseBody<typeof readTimeline>['items'][number];

/** The kinds of events of an account. */
export const kindWords = {
  sign_ins: 'console_timeline.sign_ins',
  refusals: 'console_timeline.refusals',
  emails: 'account.emails',
  calls: 'console_timeline.calls',
  changes: 'console_timeline.changes',
  alarms: 'account_alarms.page',
  operators: 'console_operators.page',
} as const satisfies Record<TimelineKind, MessageId>;

type Words = Readonly<Record<string, MessageId>>;

/** The ways to confirm a number. */
export const wayWords: Words = {
  ring: 'console_timeline.ring',
  voice: 'console_timeline.voice',
  reverse: 'console_timeline.reverse',
  whatsapp: 'console_timeline.whatsapp',
  telegram: 'console_timeline.telegram',
  sms: 'console_timeline.sms',
  mail: 'console_timeline.mail',
} satisfies Record<ConfirmationWay, MessageId>;

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

/** The name of an email in the operator's language; its code if a newer server sent it. */
export function useNoticeName(): (notice: string) => string {
  const t = useText();
  const { settings } = usePage();
  return (notice) => {
    const id = noticeSubjects[notice];
    return id ? t(id, { product: settings.productName, code: '••••••' }) : notice.replaceAll('_', ' ');
  };
}

/** What happened, in the operator's language; the code of a newer server after what it is about. */
export function EntryName({ entry }: { entry: Entry }) {
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
export function EntryOutcome({ entry: { kind, outcome, params } }: { entry: Entry }) {
  const t = useText();
  const { when } = useTimes();
  const { state, on, until, words } = params;
  const known = [stateWords[String(state)], placeWords[String(on)]].filter((id) => id !== undefined);
  if (Object.keys(params).length === 0)
    return (
      outcome && (
        <bdi lang="en" dir="ltr">
          {outcome}
        </bdi>
      )
    );
  return (
    <>
      {known.map((id) => t(id)).join(' ')}
      {until &&
        ` – ${state === 'waits' ? t('console_timeline.next_attempt', { when: when(String(until)) }) : when(String(until))}`}{' '}
      {kind !== 'alarms' && words && <bdi>{words}</bdi>}
    </>
  );
}
