import { useId, useRef } from 'react';
import { Text } from '../../browser/language/text.tsx';
import { useTimes } from '../../browser/language/times.ts';
import { useKeptFocus } from '../../browser/navigation/kept-focus.ts';
import { useRequest } from '../../browser/requests/request-status.ts';
import { sendRequest } from '../../browser/requests/send-request.ts';
import type { listNotifications } from '../../contract/computers.ts';
import type { Answered } from '../../contract/endpoint.ts';
import { Button } from '../../ui/button.tsx';
import { Notice } from '../../ui/feedback/notice.tsx';
import { Sheet, SheetPart } from '../../ui/layouts/sheet.tsx';
import { TextButton } from '../../ui/text-button.tsx';
import { VisuallyHidden } from '../../ui/visually-hidden.tsx';
import { LiveTrouble, useLive } from './live.part.tsx';
import { LongList } from './long-list.part.tsx';
import css from './notifications.module.css';

type Notices = Answered<typeof listNotifications>;

const words = {
  computer_added: 'dashboard.notice_added',
  computer_removed: 'dashboard.notice_removed',
  computer_silent: 'dashboard.notice_silent',
  disk_low: 'dashboard.notice_disk',
  battery_low: 'dashboard.notice_battery',
  alarm_test: 'dashboard.notice_test',
} as const;

interface NotificationsProps {
  /** How often the account had news. */
  readonly news: number;
  /** Called after a change. */
  readonly changed: () => void;
}

/** The owner's notifications, newest first, with buttons that mark them as read. */
export function Notifications({ news, changed }: NotificationsProps) {
  const live = useLive(news, async (signal) => {
    const { listNotifications } = await import('../../contract/computers.ts');
    return sendRequest(listNotifications, { signal });
  });
  const reading = useRequest(async (signal, id?: string) => {
    const { readAllNotifications, readNotification } = await import('../../contract/computers.ts');
    if (id === undefined) await sendRequest(readAllNotifications, { signal });
    else await sendRequest(readNotification, { params: { id }, signal });
    changed();
  });
  useKeptFocus();
  const { notifications = [], unread = 0 } = live.answer ?? {};
  return (
    <Sheet
      title="dashboard.notifications"
      aside={
        unread > 0 && (
          <>
            <span className={css.count}>
              <Text id="dashboard.unread" values={{ count: unread }} />
            </span>
            <span className={css.all}>
              <TextButton onClick={() => void reading.start()}>
                <Text id="dashboard.mark_read" />
              </TextButton>
            </span>
          </>
        )
      }
    >
      <SheetPart>
        <LiveTrouble live={live} />
        {reading.error && (
          <Notice kind="danger" role="alert">
            <Text {...reading.error.text} />
          </Notice>
        )}
        {live.answer && notifications.length === 0 && (
          <p>
            <Text id="dashboard.notifications_none" />
          </p>
        )}
        <LongList
          className={css.list}
          items={notifications
            // A newer server may send kinds that this page cannot word.
            .filter(({ kind }) => Object.hasOwn(words, kind))
            .map((notice) => <Item key={notice.id} notice={notice} markRead={() => void reading.start(notice.id)} />)}
          more={(_, show) => <Button label="dashboard.older" quiet narrow onClick={show} />}
        />
      </SheetPart>
    </Sheet>
  );
}

interface ItemProps {
  readonly notice: Notices['notifications'][number];
  readonly markRead: () => void;
}

function Item({ notice: { kind, name, at, read }, markRead }: ItemProps) {
  const { brief } = useTimes();
  const item = useRef<HTMLLIElement>(null);
  const about = useId();
  function markThisRead(): void {
    // The button disappears once the notification is read.
    item.current?.focus({ preventScroll: true });
    markRead();
  }
  return (
    <li ref={item} tabIndex={-1} className={read ? css.item : `${css.item} ${css.unread}`}>
      <div className={css.words}>
        <span id={about}>
          {!read && (
            <VisuallyHidden>
              <Text id="dashboard.unread_one" />{' '}
            </VisuallyHidden>
          )}
          <Text id={words[kind]} values={{ name }} dir="auto" />
        </span>
        <time className={css.time} dateTime={at}>
          {brief(at)}
        </time>
      </div>
      {!read && <Button label="dashboard.mark_one_read" plain aria-describedby={about} onClick={markThisRead} />}
    </li>
  );
}
