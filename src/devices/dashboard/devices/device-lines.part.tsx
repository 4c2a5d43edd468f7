import { memo, type RefObject, startTransition, useEffect, useId, useRef, useState } from 'react';
import { Text } from '../../../browser/language/text.tsx';
import { useTimes } from '../../../browser/language/times.ts';
import { Link } from '../../../browser/navigation/navigation.tsx';
import { useGradually } from '../../../browser/platform/timers.ts';
import { RecordWords } from '../records/record-rows.part.tsx';
import type { Line } from './arrange.part.ts';
import css from './device-lines.module.css';
import { DeviceState, groupWords, Light, platformName, type Seen } from './device-state.part.tsx';
import { isNewIn, Strip } from './strip.part.tsx';

const addressOf = (id: string) => `/devices/${encodeURIComponent(id)}/`;

/** A device in the table. */
export const Row = memo(function Row({ seen }: { seen: Seen }) {
  const { brief } = useTimes();
  const { id, name, tags, platform, signs, newest } = seen.computer;
  return (
    <tr className={css.row}>
      <th scope="row">
        <span className={css.lit}>
          <Light seen={seen} />
          <span className={css.words}>
            <Link to={addressOf(id)}>
              <bdi>{name}</bdi>
            </Link>
            <span className={css.about}>
              <bdi className={css.detail} translate="no">
                {platformName(platform)}
              </bdi>
              {tags.length > 0 && <Tags tags={tags} />}
            </span>
          </span>
        </span>
        <span className={css.narrow}>
          <span className={css.detail}>
            <DeviceState seen={seen} />
          </span>
          <Strip signs={signs} />
        </span>
      </th>
      <td className={css.wide}>
        <DeviceState seen={seen} stacked />
      </td>
      <td className={`${css.wide} ${css.day}`}>
        <Strip signs={signs} />
      </td>
      <td className={css.wide}>
        {newest && (
          <span className={css.newest}>
            <span>
              <RecordWords kind={newest.kind} text={newest.text} brief />
            </span>
            <time className={css.detail} dateTime={newest.at}>
              {brief(newest.at)}
            </time>
          </span>
        )}
      </td>
    </tr>
  );
});

/** A device among the tiles. */
export const Tile = memo(function Tile({ seen }: { seen: Seen }) {
  const { day } = useTimes();
  const { id, name, signs, created_at } = seen.computer;
  const state = useId();
  return (
    <li className={css.tile}>
      <Link to={addressOf(id)} className={css.tileName} aria-describedby={state}>
        <Light seen={seen} />
        <bdi className={css.short}>{name}</bdi>
      </Link>
      <Strip signs={signs} />
      <span className={css.tip}>
        <bdi className={css.whole} aria-hidden="true">
          {name}
        </bdi>
        <span id={state} className={css.facts}>
          <DeviceState seen={seen} />
          {isNewIn(signs) && (
            <span>
              <Text id="device.added" values={{ date: day(created_at) }} dir="auto" />
            </span>
          )}
        </span>
      </span>
    </li>
  );
});

/** Keeps the place of a device that the next frames draw. One column: phones hide others, and a span would show them. */
export const BlankRow = () => (
  <tr>
    <td />
  </tr>
);

/** The same among the tiles. */
export const BlankTile = () => <li className={css.blank} />;

interface GroupProps {
  readonly line: Exclude<Line, { readonly seen: Seen }>;
}

function GroupHead({ line }: GroupProps) {
  const { count } = line;
  if ('group' in line)
    return (
      <span className={css.group}>
        <Text id={groupWords[line.group]} values={{ count }} />
      </span>
    );
  return (
    <span className={css.group}>
      {line.tag ? (
        <Link to={addressOfTag(line.tag)}>
          <bdi>{line.tag}</bdi>
        </Link>
      ) : (
        <Text id="devices.untagged" />
      )}
      <span className={css.detail}>
        <Text id="dashboard.count_devices" values={{ count }} />
      </span>
    </span>
  );
}

/** The heading of a group in the table. */
export const GroupRow = (props: GroupProps) => (
  <tr>
    <th scope="rowgroup" colSpan={4}>
      <GroupHead {...props} />
    </th>
  </tr>
);

/** The heading of a group among the tiles. */
export const GroupTile = (props: GroupProps) => (
  <li className={css.groupTile}>
    <GroupHead {...props} />
  </li>
);

/** The page with the devices that have a tag. */
const addressOfTag = (tag: string): string => `/devices/?tag=${encodeURIComponent(tag)}`;

/** Tags of a device; each is a link to all devices that have it. */
export const Tags = ({ tags }: { tags: readonly string[] }) => (
  <span className={css.tags}>
    {tags.map((tag) => (
      <Link key={tag} to={addressOfTag(tag)} className={css.tag}>
        <bdi>{tag}</bdi>
      </Link>
    ))}
  </span>
);

interface More {
  /** Number of all items. */
  readonly count: number;
  /** Items at first, and for each press of the button. */
  readonly step: number;
  /** Another key shows the first items again. */
  readonly key: string;
}

/** Shows the first items of a long list, and more on demand, which moves the focus to the first added one. */
export function useMore({ count, step, key }: More) {
  const [pressed, setPressed] = useState({ key, times: 0 });
  const container: RefObject<never> = useRef(null as never);
  const shown = Math.min(count, step * (1 + (pressed.key === key ? pressed.times : 0)));
  const drawn = useGradually({ count: shown, key });
  const came = useRef<number>(undefined);
  useEffect(() => {
    if (came.current === undefined || came.current >= drawn) return;
    const next = (container.current as HTMLElement | null)?.children[came.current];
    came.current = undefined;
    // The heading of a group may have no link.
    const link = next?.querySelector('a') ?? next?.nextElementSibling?.querySelector('a');
    link?.focus({ preventScroll: true });
  }, [drawn]);
  const show = () => {
    came.current = shown;
    // A transition renders the items in short tasks.
    startTransition(() => setPressed({ key, times: (pressed.key === key ? pressed.times : 0) + 1 }));
  };
  return { container, shown, drawn, left: count - shown, show };
}
