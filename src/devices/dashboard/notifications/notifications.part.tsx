import { useId, useRef } from 'react';
import { Text, useText } from '../../../browser/language/text.tsx';
import { useTimes } from '../../../browser/language/times.ts';
import { focusHeading } from '../../../browser/navigation/history.ts';
import { Link } from '../../../browser/navigation/navigation.tsx';
import { useRequestQueue } from '../../../browser/requests/request-status.ts';
import { sendRequest } from '../../../browser/requests/send-request.ts';
import { notifyAccountChanged } from '../../../browser/requests/session.ts';
import type { ResponseBody } from '../../../contract/endpoint.ts';
import type { MessageId } from '../../../messages/ids.ts';
import { Failed } from '../../../ui/feedback/feedback.tsx';
import { Tick } from '../../../ui/icons.tsx';
import { Sheet, SheetEmpty, SheetFoot, SheetLead, SheetPart } from '../../../ui/layouts/card.tsx';
import { Tooltip } from '../../../ui/menus/menu.tsx';
import { TextButton } from '../../../ui/text-button.tsx';
import { VisuallyHidden } from '../../../ui/visually-hidden.tsx';
import { alarmKinds } from '../../contract/alarm-kinds.ts';
import {
  listNotifications,
  type NotificationKind,
  readAllNotifications,
  readNotification,
} from '../../contract/computers.ts';
import { Sign } from '../devices/device-state.part.tsx';
import { LiveTrouble, useLive } from '../live.part.tsx';
import { LongList } from '../long-list.part.tsx';
import css from './notifications.module.css';

type Notices = ResponseBody<typeof listNotifications>;

/** The text of each kind. */
export const notificationWords = {
  computer_added: 'dashboard.notice_added',
  computer_removed: 'dashboard.notice_removed',
  computer_silent: 'dashboard.notice_silent',
  disk_low: 'dashboard.notice_disk',
  battery_low: 'dashboard.notice_battery',
  computer_stopped: 'dashboard.notice_stopped',
  record: 'dashboard.notice_record',
  disk_high: 'dashboard.notice_value',
  memory_low: 'dashboard.notice_value',
  memory_high: 'dashboard.notice_value',
  battery_high: 'dashboard.notice_value',
  alarm_test: 'dashboard.notice_test',
} as const satisfies Record<NotificationKind, MessageId>;

/** The owner's notifications, newest first, with buttons that mark them as read. `news` counts those of the account. */
export function Notifications({ news }: { news: number }) {
  const live = useLive(news, async (signal) => {
    return sendRequest(listNotifications, { signal });
  });
  const reading = useRequestQueue(async (signal, id?: string) => {
    if (id === undefined) await sendRequest(readAllNotifications, { signal });
    else await sendRequest(readNotification, { params: { id }, signal });
    // The menu of each tab counts them.
    notifyAccountChanged();
  });
  function readAll(): void {
    // The button disappears once they are read.
    focusHeading();
    void reading.start('all');
  }
  const { notifications = [], unread = 0 } = live.answer ?? {};
  const isTroubled = !live.answer || live.failure || reading.error;
  return (
    <Sheet>
      {isTroubled && (
        <SheetPart>
          <LiveTrouble live={live} />
          <Failed failure={reading.error} />
        </SheetPart>
      )}
      {unread > 0 && (
        <SheetLead text="dashboard.unread" values={{ count: unread }}>
          <TextButton onClick={readAll} label="dashboard.mark_read" />
        </SheetLead>
      )}
      {live.answer && notifications.length === 0 && <SheetEmpty id="dashboard.notifications_none" />}
      <LongList
        className={css.list}
        atFirst={20}
        items={notifications
          // A newer server may send kinds that this page cannot word.
          .filter(({ kind }) => Object.hasOwn(notificationWords, kind))
          .map((notice) => (
            <Item key={notice.id} notice={notice} markRead={() => void reading.start(notice.id, notice.id)} />
          ))}
        more={(older, show) =>
          older > 0 && (
            <SheetFoot>
              <TextButton onClick={show} label="dashboard.older" />
            </SheetFoot>
          )
        }
      />
    </Sheet>
  );
}

interface ItemProps {
  readonly notice: Notices['notifications'][number];
  readonly markRead: () => void;
}

/** The sign of its device; what is no alarm, or about a device that was removed, has none. */
function signOf({ kind, computer, ended_at }: Notices['notifications'][number]) {
  if (computer === null) return undefined;
  if (kind === 'computer_silent') return ended_at === null ? 'silent' : 'active';
  if (!alarmKinds.some((alarm) => alarm === kind)) return undefined;
  return ended_at === null ? 'warned' : 'active';
}

function Item({ notice, markRead }: ItemProps) {
  const { kind, name, at, read, computer, began_at, ended_at } = notice;
  const sign = signOf(notice);
  const { brief, duration } = useTimes();
  const words = <Text id={notificationWords[kind]} values={{ name }} dir="auto" />;
  const label = useText()('dashboard.mark_one_read');
  const item = useRef<HTMLLIElement>(null);
  const about = useId();
  function markThisRead(): void {
    // The button disappears once the notification is read.
    item.current?.focus({ preventScroll: true });
    markRead();
  }
  return (
    <li ref={item} tabIndex={-1} className={read ? css.item : `${css.item} ${css.unread}`}>
      <span className={css.sign}>{sign && <Sign group={sign} />}</span>
      <div className={css.words}>
        <span id={about}>
          {!read && (
            <VisuallyHidden>
              <Text id="dashboard.unread_one" />{' '}
            </VisuallyHidden>
          )}
          {computer === null ? words : <Link to={`/devices/${encodeURIComponent(computer)}/`}>{words}</Link>}
        </span>
        <span className={css.time}>
          <time dateTime={at}>{brief(at)}</time>
          {ended_at !== null && computer !== null && (
            <span className={css.recovered}>
              <Text
                id="dashboard.recovered"
                values={{ duration: duration(Date.parse(ended_at) - Date.parse(began_at ?? at)) }}
                dir="auto"
              />
            </span>
          )}
        </span>
      </div>
      {!read && (
        <Tooltip text={label}>
          <button type="button" className={css.tick} aria-describedby={about} onClick={markThisRead}>
            <Tick />
            <VisuallyHidden>{label}</VisuallyHidden>
          </button>
        </Tooltip>
      )}
    </li>
  );
}
