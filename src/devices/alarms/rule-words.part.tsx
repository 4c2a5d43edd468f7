import { Fragment } from 'react';
import { Text, useText } from '../../browser/language/text.tsx';
import { useTimes } from '../../browser/language/times.ts';
import { usePage } from '../../browser/navigation/page.tsx';
import { languageOf } from '../../contract/languages.ts';
import { channelFacts } from '../contract/alarm-channels.ts';
import { isMoment, valueNames } from '../contract/alarm-kinds.ts';
import { type AlarmRule, kindOf } from '../contract/alarm-rules.ts';
import type { Scope } from '../contract/pauses.ts';
import css from './rule-words.module.css';

/** With their minutes. */
const units = [
  ['day', 1440],
  ['hour', 60],
  ['minute', 1],
] as const;

/** Formats a number of minutes in the page's language and Latin digits. */
export function useRuleDurations(): (minutes: number) => string {
  const { tag } = languageOf(usePage().language);
  return (count) => {
    const [unit, length] = units.find(([, each]) => count % each === 0) ?? units[2];
    const format = new Intl.NumberFormat(`${tag}-u-nu-latn`, { style: 'unit', unit, unitDisplay: 'long' });
    return format.format(count / length);
  };
}

interface Named {
  readonly id: string;
  readonly name: string;
}

/** Names of a scope that a line has room for. */
const namesShown = 3;

/** The names of what a scope contains; undefined for all devices. */
export function namesOf({ tags, computers }: Scope, devices: readonly Named[]): string | undefined {
  if (tags.length === 0 && computers.length === 0) return undefined;
  const names = new Map(devices.map(({ id, name }) => [id, name]));
  const all = [...tags, ...computers.flatMap((id) => names.get(id) ?? [])];
  const more = all.length - namesShown;
  return more > 1 ? `${all.slice(0, namesShown).join(', ')} +${more}` : all.join(', ');
}

/** Which devices something is about, in words. */
export function ScopeName({ scope, devices }: { scope: Scope; devices: readonly Named[] }) {
  const names = namesOf(scope, devices);
  if (names === undefined) return <Text id="devices.all" />;
  return names === '' ? <Text id="rules.removed_devices" /> : <bdi>{names}</bdi>;
}

/** The parts of a rule besides its devices, each a few words: “Silent for 1 hour”, “Email”. */
function useRuleWords(): (rule: AlarmRule) => string[] {
  const t = useText();
  const inWords = useRuleDurations();
  const { share } = useTimes();
  const condition = ({ when }: AlarmRule): string[] => {
    if (when.event === 'silent') return [t('rules.silent', { duration: inWords(when.after_minutes) })];
    if (when.event === 'stopped') return [t('rules.stopped')];
    if (when.event === 'record')
      return [t('rules.record', { what: [when.kind, when.text].filter(Boolean).join(', ') })];
    const values = { value: t(valueNames[when.value]), limit: share(when.limit / 100) };
    const length = when.for_minutes > 0 ? [t('rules.for', { duration: inWords(when.for_minutes) })] : [];
    return [t(when.is === 'below' ? 'rules.below' : 'rules.above', values), ...length];
  };
  const channels = ({ by, channels: names }: AlarmRule): string => {
    if (by === 'all') return t('rules.by_all');
    if (by === 'none') return t('alarms.never');
    return names.length === 0 ? t('dashboard.page') : names.map((name) => t(channelFacts[name].words)).join(', ');
  };
  return (rule) => [
    ...condition(rule),
    channels(rule),
    ...(rule.by !== 'none' && rule.remind_hours !== null
      ? [t('rules.reminds', { duration: inWords(rule.remind_hours * 60) })]
      : []),
    ...(rule.by !== 'none' && !rule.at_end && !isMoment(kindOf(rule)) ? [t('rules.without_end')] : []),
  ];
}

interface RuleSentenceProps {
  readonly rule: AlarmRule;
  readonly devices: readonly Named[];
}

/** “Berlin · Silent for 10 minutes · Phone call”. */
export function RuleSentence({ rule, devices }: RuleSentenceProps) {
  const words = useRuleWords()(rule);
  return (
    <span className={css.sentence}>
      <strong>
        <ScopeName scope={rule} devices={devices} />
      </strong>
      {words.map((part) => (
        <Fragment key={part}>
          {' · '}
          <bdi>{part}</bdi>
        </Fragment>
      ))}
    </span>
  );
}
