import { Fragment, type ReactNode, useEffect, useState } from 'react';
import { Paragraph, Text, useText } from '../../../../browser/language/text.tsx';
import { useTimes } from '../../../../browser/language/times.ts';
import { Link } from '../../../../browser/navigation/navigation.tsx';
import { usePage } from '../../../../browser/navigation/page.tsx';
import { useRequest } from '../../../../browser/requests/request-status.ts';
import { sendRequest } from '../../../../browser/requests/send-request.ts';
import type { StatisticsSeries } from '../../../../contract/console.ts';
import type { ResponseBody } from '../../../../contract/endpoint.ts';
import { localeOf } from '../../../../contract/languages.ts';
import { isRoleEnough, type OperatorRole } from '../../../../contract/operators.ts';
import type { FirstMethod } from '../../../../contract/sign-in/admission.ts';
import { days, hours } from '../../../../contract/units.ts';
import type { MessageId } from '../../../../messages/ids.ts';
import { readStatistics } from '../../service.contract.ts';
import { ConsoleFailed } from '../layout/console-page.part.tsx';
import { Filters } from '../layout/list.part.tsx';
import { Chart, type Line } from './chart.part.tsx';
import css from './statistics.module.css';

type Counted = ResponseBody<typeof readStatistics>['items'];

type Values = Readonly<Record<string, number>>;

/** The lengths of time that an operator can look at. */
const ranges = { day: 'hour', week: 'day', month: 'day' } as const;
type Range = keyof typeof ranges;

const counts: Readonly<Record<Range, number>> = { day: 24, week: 7, month: 30 };

/** The beginnings of the periods of a range, the oldest first (ms since the epoch), the last of which is now. */
export function startsOf(range: Range, now: number): readonly number[] {
  const length = ranges[range] === 'hour' ? hours(1) : days(1);
  const last = Math.floor(now / length) * length;
  return Array.from({ length: counts[range] }, (_, at) => last - (counts[range] - 1 - at) * length);
}

/** What was counted in each period; undefined where nothing was. */
function valuesOf(counted: Counted, series: StatisticsSeries, starts: readonly number[]) {
  const known = new Map(
    counted.filter((one) => one.series === series).map(({ at, values }) => [Date.parse(at), values]),
  );
  return starts.map((start) => known.get(start));
}

/** All periods together. */
function sumOf(all: readonly (Values | undefined)[]): Values {
  const total: Record<string, number> = {};
  for (const values of all)
    for (const [label, count] of Object.entries(values ?? {})) total[label] = (total[label] ?? 0) + count;
  return total;
}

/** The counts whose labels begin so, together. */
const sumWhere = (values: Values | undefined, isMeant: (label: string) => boolean): number =>
  Object.entries(values ?? {}).reduce((sum, [label, count]) => (isMeant(label) ? sum + count : sum), 0);

const rangeNames = {
  day: 'devices.day',
  week: 'console_today.week',
  month: 'devices.month',
} as const satisfies Record<Range, MessageId>;

interface Read {
  readonly range: Range;
  readonly starts: readonly number[];
  readonly counted: Counted;
}

/** What the service counted, over a time that the operator chooses. */
export function Statistics({ role }: { role: OperatorRole }) {
  const [range, choose] = useState<Range>('day');
  const [read, setRead] = useState<Read>();
  const request = useRequest(async (signal) => {
    const starts = startsOf(range, Date.now());
    const query = { by: ranges[range], from: new Date(starts[0] ?? 0).toISOString() };
    setRead({ range, starts, counted: (await sendRequest(readStatistics, { query, signal })).items });
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: another range replaces the numbers
  useEffect(() => request.restart(), [range]);
  return (
    <>
      <div className={css.bar}>
        <Filters label="device.time" names={rangeNames} chosen={[range]} choose={choose} />
      </div>
      <ConsoleFailed failure={request.error} />
      {read && <Cards read={read} role={role} />}
    </>
  );
}

const isRefusal = (label: string) => label.startsWith('refused ');
const begins = (word: string) => (label: string) => label.split(' ')[0] === word;

function Cards({ read: { range, starts, counted }, role }: { read: Read; role: OperatorRole }) {
  const { share } = useTimes();
  const locale = localeOf(usePage().language);
  const { number, milliseconds, periods } = useFormats(range, starts);
  const of = (series: StatisticsSeries) => valuesOf(counted, series, starts);
  const chart = (title: MessageId, lines: readonly Line[], format = number) => (
    <Chart title={title} periods={periods} lines={lines} format={format} />
  );
  const sums = (all: readonly (Values | undefined)[], isMeant: (label: string) => boolean) =>
    all.map((values) => sumWhere(values, isMeant));
  const signIns = of('sign_ins');
  const signedIn = sumOf(signIns);
  const calls = sumOf(of('calls'));
  const registrations = of('registrations');
  const emails = of('emails');
  const sent = sumOf(emails);
  const times = of('response_times');
  const latest = times.findLast((values) => values !== undefined);
  const devices = of('devices');
  // The running hour has not heard from every device yet.
  const levels = devices.map((values, place) =>
    range === 'day' && place === devices.length - 1 ? undefined : (values?.online ?? 0),
  );
  const online = levels.findLast((level) => level !== undefined) ?? 0;
  const alarms = sumOf(devices).alarms ?? 0;
  const see = seeing(role);
  const steps = stepsOf(sumOf(registrations), calls, see);
  const cards: Readonly<Record<Exclude<StatisticsSeries, 'refused_from'>, ReactNode>> = {
    sign_ins: (
      <Card
        title="console_timeline.sign_ins"
        value={number(sumWhere(signedIn, (label) => !isRefusal(label)))}
        rows={[
          ...methodsOf(signedIn),
          { name: <Text id="console_timeline.refusals" />, count: sumWhere(signedIn, isRefusal) },
        ]}
      >
        {chart('console_timeline.sign_ins', [
          { label: 'console_timeline.sign_ins', values: sums(signIns, (label) => !isRefusal(label)) },
          { label: 'console_timeline.refusals', values: sums(signIns, isRefusal) },
        ])}
      </Card>
    ),
    registrations: (
      <Card
        title="console_today.registrations"
        value={<Link to="/console/?state=new">{number(sumOf(registrations).registered ?? 0)}</Link>}
        rows={steps}
        note={<MostStop steps={steps} />}
      >
        {chart('console_today.registrations', [
          { label: 'console_today.registrations', values: sums(registrations, (label) => label === 'registered') },
        ])}
      </Card>
    ),
    calls: calls.asked !== undefined && (
      <Card
        title="console_timeline.calls"
        value={see(
          'calls',
          share(sumWhere(calls, begins('confirmed')) / Math.max(1, sumWhere(calls, begins('placed')))),
        )}
        rows={confirmationsOf(calls, locale).map((row) => ({ ...row, name: see('calls', row.name) }))}
      >
        {chart('console_timeline.calls', [
          { label: 'console_timeline.placed', values: sums(of('calls'), begins('placed')) },
          { label: 'account.confirmed', values: sums(of('calls'), begins('confirmed')) },
        ])}
      </Card>
    ),
    emails: (
      <Card
        title="account.emails"
        value={see('emails', number(sent.sent ?? 0))}
        rows={[
          { name: see('emails', <Text id="console_timeline.given_up" />), count: sent.failed ?? 0 },
          { name: see('suppressed', <Text id="console_today.bounced" />), count: sent.returned ?? 0 },
        ]}
      >
        {chart('account.emails', [
          { label: 'console_timeline.sent', values: sums(emails, (label) => label === 'sent') },
          { label: 'console_today.bounced', values: sums(emails, (label) => label === 'returned') },
        ])}
      </Card>
    ),
    response_times: latest && (
      <Card title="console_today.response_time" value={milliseconds(latest.p50 ?? 0)} rows={[]}>
        {chart(
          'console_today.response_time',
          [
            { label: 'console_today.median', values: times.map((values) => values?.p50) },
            { label: 'console_today.slowest', values: times.map((values) => values?.p99) },
          ],
          milliseconds,
        )}
      </Card>
    ),
    devices: (online > 0 || alarms > 0) && (
      <Card
        title="console_today.devices_online"
        value={number(online)}
        rows={[{ name: <Text id="account_alarms.page" />, count: alarms }]}
      >
        {chart('console_today.devices_online', [{ label: 'console_today.devices_online', values: levels }])}
      </Card>
    ),
  };
  return (
    <div className={css.cards}>
      {Object.entries(cards).map(([series, card]) => (
        <Fragment key={series}>{card}</Fragment>
      ))}
    </div>
  );
}

type See = (list: string, words: ReactNode) => ReactNode;

/** Leads from a number to its list, if the role may read that. */
const seeing =
  (role: OperatorRole): See =>
  (list, words) =>
    isRoleEnough(role, 'support') ? <Link to={`/console/service/?list=${list}`}>{words}</Link> : words;

function useFormats(range: Range, starts: readonly number[]) {
  const locale = `${localeOf(usePage().language)}-u-nu-latn`;
  const { hour, shortDay } = useTimes();
  const whole = new Intl.NumberFormat(locale);
  const unit = new Intl.NumberFormat(locale, { style: 'unit', unit: 'millisecond' });
  return {
    number: (value: number) => whole.format(value),
    milliseconds: (value: number) => unit.format(value),
    // A day of UTC has the same date at its noon in almost every time zone.
    periods: starts.map((start) => (range === 'day' ? hour(start) : shortDay(start + hours(12)))),
  };
}

interface Row {
  readonly name: ReactNode;
  readonly count: number;
  /** Instead of the count. */
  readonly words?: string;
}

interface CardProps {
  readonly title: MessageId;
  readonly value: ReactNode;
  readonly rows: readonly Row[];
  readonly note?: ReactNode;
  readonly children: ReactNode;
}

function Card({ title, value, rows, note, children }: CardProps) {
  const { number } = useFormats('day', []);
  const most = Math.max(1, ...rows.map(({ count }) => count));
  return (
    <section className={css.card}>
      <h2 className={css.title}>
        <Text id={title} />
      </h2>
      <p className={css.number}>{value}</p>
      {children}
      {rows.length > 0 && (
        <dl className={css.rows}>
          {rows.map(({ name, count, words }, place) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a row is identified by its place
            <div key={place}>
              <dt>{name}</dt>
              <svg className={css.part} viewBox="0 0 1 1" preserveAspectRatio="none" aria-hidden="true">
                <rect width={count / most} height="1" />
              </svg>
              <dd className={css.count}>{words ?? number(count)}</dd>
            </div>
          ))}
        </dl>
      )}
      {note}
    </section>
  );
}

const methodNames: Readonly<Record<string, MessageId>> = {
  pwd: 'label.password',
  mca: 'going_on.by_mail_code',
  swk: 'going_on.by_passkey',
  hwk: 'going_on.by_passkey',
} satisfies Record<FirstMethod, MessageId>;

/** Sign-ins by the first method that proved the owner. */
function methodsOf(signedIn: Values): Row[] {
  const names = new Map<string, number>();
  for (const [label, count] of Object.entries(signedIn)) {
    if (isRefusal(label)) continue;
    const [first = ''] = label.split(' ');
    const name = methodNames[first] ?? first;
    names.set(name, (names.get(name) ?? 0) + count);
  }
  const known = Object.values(methodNames);
  return [...names]
    .map(([name, count]) => {
      const id = known.find((one) => one === name);
      return { name: id ? <Text id={id} /> : <bdi>{name}</bdi>, count };
    })
    .toSorted((one, other) => other.count - one.count);
}

interface Step extends Row {
  readonly label: MessageId;
}

/** How far registrations came: by the day from the people themselves, by the hour from the calls. */
function stepsOf(registrations: Values, calls: Values, see: See): readonly Step[] {
  const isByDay = registrations.asked !== undefined;
  const {
    asked = 0,
    called = 0,
    confirmed = 0,
  } = isByDay
    ? registrations
    : { ...calls, called: sumWhere(calls, begins('placed')), confirmed: sumWhere(calls, begins('confirmed')) };
  const step = (label: MessageId, count: number): Step => ({ label, name: <Text id={label} />, count });
  const call = (label: MessageId, count: number): Step => ({ label, name: see('calls', <Text id={label} />), count });
  return [
    ...(asked > 0
      ? [
          call('console_today.step_asked', asked),
          call('console_today.step_called', called),
          call('console_today.step_confirmed', confirmed),
        ]
      : []),
    step('console_today.step_registered', registrations.registered ?? 0),
    ...(isByDay ? [step('console_today.step_proven', registrations.proven ?? 0)] : []),
  ];
}

function MostStop({ steps }: { steps: readonly Step[] }) {
  const t = useText();
  const stops = steps.map(({ label, count }, at) => ({ label, lost: count - (steps[at + 1]?.count ?? count) }));
  const most = stops.reduce((one, other) => (other.lost > one.lost ? other : one));
  if (most.lost <= 0) return null;
  return <Paragraph className={css.note} id="console_today.most_stop" values={{ step: t(most.label) }} dir="auto" />;
}

const maxShown = 6;

/** The share of confirmed calls by provider and country, the most frequent first. */
function confirmationsOf(calls: Values, locale: string): Row[] {
  const percent = new Intl.NumberFormat(`${locale}-u-nu-latn`, { style: 'percent' });
  const regions = new Intl.DisplayNames(locale, { type: 'region', fallback: 'code' });
  return Object.entries(calls)
    .filter(([label]) => begins('placed')(label))
    .toSorted(([, one], [, other]) => other - one)
    .slice(0, maxShown)
    .map(([label, placed]) => {
      const [, provider = '', country = ''] = label.split(' ');
      const confirmed = calls[`confirmed ${provider} ${country}`] ?? 0;
      const place = /^[A-Z]{2}$/.test(country) ? regions.of(country) : country;
      return {
        name: <bdi>{`${provider}, ${place}`}</bdi>,
        count: placed,
        words: percent.format(confirmed / placed),
      };
    });
}
