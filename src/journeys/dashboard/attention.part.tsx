import { Text } from '../../browser/language/text.tsx';
import { useNow, useTimes } from '../../browser/language/times.ts';
import { Exclamation } from '../../ui/icons.tsx';
import { Card } from '../../ui/layouts/card.tsx';
import { TextButton } from '../../ui/text-button.tsx';
import css from './attention.module.css';
import { type Computer, stateOf } from './devices/device-state.part.tsx';
import { LongList } from './long-list.part.tsx';

const words = { disk_low: 'dashboard.attention_disk', battery_low: 'dashboard.attention_battery' } as const;

interface AttentionProps {
  readonly computers: readonly Computer[];
  /** When `computers` were read: milliseconds since the epoch. */
  readonly at: number;
}

/** Silent computers and warnings; empty if nothing needs attention. */
export function Attention({ computers, at }: AttentionProps) {
  const { ago } = useTimes();
  const since = useNow() - at;
  const wanting = computers.flatMap(({ id, name, silent_for, warnings }) => [
    ...(stateOf(silent_for + since) === 'silent'
      ? [{ key: id, what: 'dashboard.attention_silent' as const, values: { name, ago: ago(silent_for + since) } }]
      : []),
    ...warnings.map((warning) => ({ key: `${id} ${warning}`, what: words[warning], values: { name } })),
  ]);
  if (wanting.length === 0) return null;
  return (
    <Card>
      <h2>
        <Text id="dashboard.attention" />
      </h2>
      <LongList
        className={css.list}
        items={wanting.map(({ key, what, values }) => (
          <li key={key} className={css.item}>
            <Exclamation />
            <span className={css.words}>
              <Text id={what} values={values} dir="auto" />
            </span>
          </li>
        ))}
        more={(count, show) => (
          <TextButton onClick={show}>
            <Text id="dashboard.attention_more" values={{ count }} />
          </TextButton>
        )}
      />
    </Card>
  );
}
