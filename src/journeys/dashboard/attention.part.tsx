import { Text } from '../../browser/language/text.tsx';
import { Link } from '../../browser/navigation/navigation.tsx';
import { Sheet, SheetFoot } from '../../ui/layouts/sheet.tsx';
import { TextButton } from '../../ui/text-button.tsx';
import css from './attention.module.css';
import { DeviceState, Light, needsAttention, rankOf, type Seen } from './devices/device-state.part.tsx';
import { LongList } from './long-list.part.tsx';

/** Silent devices, the newest silence first, then devices with warnings; empty if nothing needs attention. */
export function Attention({ all }: { all: readonly Seen[] }) {
  const wanting = all
    .filter(needsAttention)
    .sort((one, other) => rankOf(one) - rankOf(other) || one.silentFor - other.silentFor);
  if (wanting.length === 0) return null;
  return (
    <Sheet title="dashboard.attention">
      <LongList
        className={css.list}
        items={wanting.map((seen) => (
          <li key={seen.computer.id} className={css.item}>
            <Light seen={seen} />
            <Link to={`/devices/${encodeURIComponent(seen.computer.id)}/`} className={css.name}>
              <bdi>{seen.computer.name}</bdi>
            </Link>
            <span className={css.words}>
              <DeviceState seen={seen} />
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
