import { useEffect } from 'react';
import { useForm } from '../../../browser/forms/form.ts';
import { Text, useText } from '../../../browser/language/text.tsx';
import { useNow, useTimes } from '../../../browser/language/times.ts';
import { focusHeading } from '../../../browser/navigation/history.ts';
import { Link, useQuery } from '../../../browser/navigation/navigation.tsx';
import { usePage } from '../../../browser/navigation/page.tsx';
import { useAccount } from '../../../browser/requests/account.ts';
import { useRequest } from '../../../browser/requests/request-status.ts';
import { sendRequest } from '../../../browser/requests/send-request.ts';
import { notifyAccountChanged } from '../../../browser/requests/session.ts';
import { ButtonRow } from '../../../journeys/account/layout/rows.part.tsx';
import { AccountNotices } from '../../../journeys/account/notices/account-notices.part.tsx';
import type { MessageId } from '../../../messages/ids.ts';
import { Button, ButtonLink, SubmitButton, singleClick } from '../../../ui/button.tsx';
import { Failed, FormSaved } from '../../../ui/feedback/feedback.tsx';
import { FormProblems } from '../../../ui/feedback/form-problems.tsx';
import { Field, inputProps } from '../../../ui/fields/field.tsx';
import { AccountLayout, AccountUnread } from '../../../ui/layouts/account-layout.tsx';
import { Columns, FormStack, Sheet, SheetEmpty, SheetFoot, SheetPart, Title } from '../../../ui/layouts/card.tsx';
import { PageHead, WayBack } from '../../../ui/layouts/page-head.tsx';
import { TextButton } from '../../../ui/text-button.tsx';
import { channelFacts } from '../../contract/alarm-channels.ts';
import { alarmValueOf, endValueWords, isMoment } from '../../contract/alarm-kinds.ts';
import { Sign } from '../../dashboard/devices/device-state.part.tsx';
import { LiveTrouble, useLive, useNews } from '../../dashboard/live.part.tsx';
import { LongList } from '../../dashboard/long-list.part.tsx';
import { RuleSentence } from '../rule-words.part.tsx';
import { IncidentTitle, useIncidentTitle } from './incident-title.part.tsx';
import {
  changeIncident,
  type Incident,
  type IncidentDetails,
  listIncidents,
  readIncident,
} from './incidents.contract.ts';
import css from './incidents.module.css';

/** The account's incidents, or the one that the address names: messages about it lead here. */
export default function IncidentsPage() {
  const { account, failure, retry } = useAccount();
  const id = useQuery().query.get('incident');
  const [news] = useNews();
  if (!account) {
    return (
      <AccountLayout wide>
        <Title text="account_alarms.page" />
        <AccountUnread failure={failure} retry={retry} />
      </AccountLayout>
    );
  }
  return (
    <AccountLayout wide>
      {id === null ? (
        <>
          <PageHead actions={<ButtonLink to="/alarms/rules/" label="rules.title" quiet narrow />}>
            <Title text="account_alarms.page" />
          </PageHead>
          <AccountNotices account={account} areAlarms />
          <Incidents news={news} />
        </>
      ) : (
        <>
          <WayBack to="/alarms/" text="account_alarms.page" />
          <IncidentPage key={id} id={id} news={news} />
        </>
      )}
    </AccountLayout>
  );
}

/** Open incidents, then those that are over, the newest first. */
function Incidents({ news }: { news: number }) {
  const live = useLive(news, async (signal) => {
    return sendRequest(listIncidents, { signal });
  });
  const { incidents } = live.answer ?? {};
  const open = incidents?.filter(({ ended_at }) => ended_at === null) ?? [];
  const over = incidents?.filter(({ ended_at }) => ended_at !== null) ?? [];
  return (
    <>
      <LiveTrouble live={live} />
      {incidents?.length === 0 && (
        <Sheet>
          <SheetEmpty id="incidents.none" />
        </Sheet>
      )}
      {(open.length > 0 || over.length > 0) && (
        <Columns beside={over.length > 0 && <List title="incidents.ended_list" incidents={over} />}>
          <List title="dashboard.attention" incidents={open} />
        </Columns>
      )}
    </>
  );
}

/** The sign of its devices, on every page. */
function signOf({ kind, ended_at, ends_at }: Pick<Incident, 'kind' | 'ended_at' | 'ends_at'>) {
  if (ended_at !== null || ends_at !== null) return 'active';
  return kind === 'computer_silent' ? 'silent' : 'warned';
}

const List = ({ title, incidents }: { title: MessageId; incidents: readonly Incident[] }) => (
  <Sheet title={title}>
    {incidents.length === 0 && <SheetEmpty id="incidents.none_open" />}
    <ul className={css.list}>
      {incidents.map((incident) => (
        <li key={incident.id} className={css.item}>
          <Sign group={signOf(incident)} />
          <Link to={`/alarms/?incident=${encodeURIComponent(incident.id)}`} className={css.name}>
            <IncidentTitle incident={incident} />
          </Link>
          <IncidentFacts incident={incident} />
        </li>
      ))}
    </ul>
  </Sheet>
);

interface IncidentPageProps {
  readonly id: string;
  /** How often the account had news. */
  readonly news: number;
}

/** An incident: its devices, a note, and what was sent about it. Who opens it has seen it. */
function IncidentPage({ id, news }: IncidentPageProps) {
  const live = useLive(news, async (signal) => {
    return sendRequest(readIncident, { params: { id }, signal });
  });
  const { answer } = live;
  const seeing = useRequest(async (signal) => {
    live.replace(await sendRequest(changeIncident, { params: { id }, body: { seen: true }, signal }));
    // The menu of each tab counts its notifications.
    notifyAccountChanged();
  });
  const isNew = answer?.seen_at === null;
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once the incident is shown for the first time
  useEffect(() => {
    if (isNew) void seeing.start();
  }, [isNew]);
  if (!answer) {
    return (
      <>
        <Title text="account_alarms.page" />
        <LiveTrouble live={live} />
      </>
    );
  }
  return (
    <>
      <Heading incident={answer} changed={live.replace} />
      <LiveTrouble live={live} />
      <Columns
        beside={
          <>
            <Sheet>
              <SheetPart>
                <Note id={id} note={answer.note} />
              </SheetPart>
            </Sheet>
            {answer.messages.length > 0 && <Messages messages={answer.messages} />}
          </>
        }
      >
        <Members incident={answer} />
      </Columns>
    </>
  );
}

interface AcknowledgeProps {
  readonly incident: IncidentDetails;
  readonly changed: (incident: IncidentDetails) => void;
}

function Heading({ incident, changed }: AcknowledgeProps) {
  const { setStep, settings } = usePage();
  const { id, values } = useIncidentTitle(incident);
  const title = `${useText()(id, values)} – ${settings.productName}`;
  useEffect(() => {
    setStep(title);
    return () => setStep(undefined);
  }, [title, setStep]);
  return (
    <PageHead
      lead={
        <>
          <IncidentFacts incident={incident} />
          <Rules incident={incident} />
        </>
      }
      actions={incident.ended_at === null && <Acknowledge incident={incident} changed={changed} />}
    >
      <Title>
        <IncidentTitle incident={incident} />
      </Title>
    </PageHead>
  );
}

/** The rules that opened it, as they are now. */
const Rules = ({ incident: { rules, members } }: { incident: IncidentDetails }) =>
  rules.map((rule) => (
    <span key={rule?.id ?? ''} className={css.rule}>
      {rule ? (
        <>
          <Text id="incidents.rule" />{' '}
          <Link to={`/alarms/rules/?rule=${encodeURIComponent(rule.id)}`}>
            <RuleSentence rule={rule} devices={members} />
          </Link>
        </>
      ) : (
        <Text id="incidents.rule_removed" />
      )}
    </span>
  ));

/** Acknowledges, or takes that back. */
function Acknowledge({ incident: { id, acknowledged_at: at }, changed }: AcknowledgeProps) {
  const acknowledged = at === null;
  const acknowledging = useRequest(async (signal) => {
    const incident = await sendRequest(changeIncident, { params: { id }, body: { acknowledged }, signal });
    // The button becomes another one.
    focusHeading();
    changed(incident);
    notifyAccountChanged();
  });
  return (
    <div>
      <Button
        label={acknowledged ? 'incidents.acknowledge' : 'incidents.unacknowledge'}
        quiet={!acknowledged}
        narrow
        busy={acknowledging.state === 'pending' ? 'form.wait' : undefined}
        retry={acknowledging.restart}
        onClick={singleClick(() => void acknowledging.start())}
      />
      <Failed failure={acknowledging.error} />
    </div>
  );
}

/** The devices, those first that have not come back. */
function Members({ incident: { kind, members } }: { incident: IncidentDetails }) {
  const { brief, duration, share } = useTimes();
  const now = useNow();
  const value = alarmValueOf(kind);
  const ordered = [...members].sort((one, other) => Number(one.back_at !== null) - Number(other.back_at !== null));
  return (
    <Sheet title="devices.page">
      <LongList
        className={css.list}
        atFirst={20}
        items={ordered.map(({ id, name, removed, since, back_at, end_value }) => (
          <li key={id} className={css.item}>
            <Sign group={removed ? 'off' : signOf({ kind, ended_at: back_at, ends_at: null })} />
            {removed ? (
              <span>
                <Text id="dashboard.notice_removed" values={{ name }} dir="auto" />
              </span>
            ) : (
              <Link to={`/devices/${encodeURIComponent(id)}/`} className={css.name}>
                <bdi>{name}</bdi>
              </Link>
            )}
            <span className={css.facts}>
              {back_at !== null || removed || isMoment(kind) ? (
                <time dateTime={since}>{brief(since)}</time>
              ) : (
                <span>
                  <Text
                    id="mail.incident.since"
                    values={{ duration: duration(now - Date.parse(since)), when: brief(since) }}
                    dir="auto"
                  />
                </span>
              )}
              {back_at !== null && !removed && !isMoment(kind) && (
                <span className={css.back}>
                  <Text
                    id="dashboard.recovered"
                    values={{ duration: duration(Date.parse(back_at) - Date.parse(since)) }}
                    dir="auto"
                  />
                </span>
              )}
              {value && end_value !== null && (
                <span>
                  <Text id={endValueWords[value]} values={{ share: share(end_value / 100) }} dir="auto" />
                </span>
              )}
            </span>
          </li>
        ))}
        more={(count, show) =>
          count > 0 && (
            <SheetFoot>
              <TextButton onClick={show}>
                <Text id="dashboard.attention_more" values={{ count }} />
              </TextButton>
            </SheetFoot>
          )
        }
      />
    </Sheet>
  );
}

function Note({ id, note }: { id: string; note: string }) {
  const form = useForm({
    contract: () => import('./incidents.contract.ts'),
    schema: ({ noteForm }) => noteForm,
    initial: { note },
    async send(contract, body, signal) {
      await sendRequest(contract.changeIncident, { params: { id }, body, signal });
    },
  });
  const field = form.field('note');
  return (
    <FormStack {...form.props}>
      <FormProblems form={form} labels={{ note: 'incidents.note' }} />
      <Field field={field} label="incidents.note">
        <textarea {...inputProps(field)} className={css.note} dir="auto" />
      </Field>
      <FormSaved form={form} />
      <ButtonRow>
        <SubmitButton label="account.save" quiet narrow busy={form.busy ? 'form.wait' : undefined} retry={form.retry} />
      </ButtonRow>
    </FormStack>
  );
}

type Message = IncidentDetails['messages'][number];

const stateWords = {
  waiting: 'incidents.waiting',
  sent: 'incidents.sent',
  superseded: 'incidents.superseded',
  failed: 'incidents.failed',
} as const satisfies Record<Message['state'], MessageId>;

const answerWords = {
  acknowledged: 'incidents.by_key',
  answered: 'incidents.no_key',
  unanswered: 'incidents.unanswered',
} as const satisfies Record<NonNullable<Message['answer']>, MessageId>;

/** What was sent, by which channel and to whom, and what became of it. */
function Messages({ messages }: Pick<IncidentDetails, 'messages'>) {
  const { brief } = useTimes();
  return (
    <Sheet title="incidents.messages">
      <ol className={css.list}>
        {messages.map(({ at, channel, event, recipient, state, answer, error }) => (
          <li key={`${at} ${channel} ${event}`} className={css.message}>
            <span>
              {channel !== 'email' && <Text id={channelFacts[channel].words} />}{' '}
              {channel !== 'push' && <bdi>{recipient}</bdi>}
            </span>
            <span className={css.facts}>
              <time dateTime={at}>{brief(at)}</time>
              <span className={state === 'failed' ? css.lost : undefined}>
                <Text id={answer ? answerWords[answer] : stateWords[state]} values={{ why: error ?? '' }} dir="auto" />
              </span>
            </span>
          </li>
        ))}
      </ol>
    </Sheet>
  );
}

/** Since when, how long, how many devices, what they share, and whether the owner knows of it. */
function IncidentFacts({ incident }: { incident: Incident }) {
  const { began_at, ended_at, ends_at, acknowledged_at, acknowledged_until, seen_at, devices, tag, address } = incident;
  const words = ended_at === null ? 'mail.incident.since' : 'mail.incident.lasted';
  const { brief, duration } = useTimes();
  const now = useNow();
  const length = (ended_at === null ? now : Date.parse(ended_at)) - Date.parse(began_at);
  const shared = [tag, address].filter((one) => one !== null).join(', ');
  return (
    <span className={css.facts}>
      <span>
        {isMoment(incident.kind) ? (
          <time dateTime={began_at}>{brief(began_at)}</time>
        ) : (
          <Text id={words} values={{ duration: duration(length), when: brief(began_at) }} dir="auto" />
        )}
      </span>
      {shared !== '' && devices > 1 && (
        <span>
          <Text id="mail.incident.shared" values={{ what: shared }} dir="auto" />
        </span>
      )}
      {ends_at && (
        <span className={css.back}>
          <Text id="dashboard.settling" values={{ when: brief(ends_at) }} dir="auto" />
        </span>
      )}
      {seen_at === null && (
        <strong>
          <Text id="incidents.unseen" />
        </strong>
      )}
      {acknowledged_at !== null && (
        <span>
          {ended_at === null && acknowledged_until !== null ? (
            <Text id="incidents.acknowledged_until" values={{ when: brief(acknowledged_until) }} dir="auto" />
          ) : (
            <Text id="incidents.acknowledged" values={{ when: brief(acknowledged_at) }} dir="auto" />
          )}
        </span>
      )}
    </span>
  );
}
