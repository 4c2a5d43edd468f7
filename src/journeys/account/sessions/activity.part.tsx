import { Text } from '../../../browser/language/text.tsx';
import { byDay, useTimes } from '../../../browser/language/times.ts';
import { usePage } from '../../../browser/navigation/page.tsx';
import { useRequest } from '../../../browser/requests/request-status.ts';
import { sendRequest } from '../../../browser/requests/send-request.ts';
import { useAccountChanges } from '../../../browser/requests/session.ts';
import type { ActivityKind } from '../../../contract/activity.ts';
import type { LanguageCode } from '../../../contract/languages.ts';
import type { MessageId } from '../../../messages/ids.ts';
import { Button } from '../../../ui/button.tsx';
import { Failed } from '../../../ui/feedback/feedback.tsx';
import { Card, Heading } from '../../../ui/layouts/card.tsx';
import { DayTitle } from '../../../ui/layouts/page-head.tsx';
import { DeviceName, Facts, Lines } from '../lines.part.tsx';
import { Unread, useRead } from '../read.part.tsx';
import css from './activity.module.css';
import { readActivity } from './sessions.contract.ts';

export const activityWords: Readonly<Record<ActivityKind, MessageId>> = {
  registered: 'account.did_registered',
  signed_in: 'account.did_signed_in',
  signed_out: 'account.did_signed_out',
  recovery_requested: 'account.did_recovery_requested',
  password_reset: 'account.did_password_reset',
  password_changed: 'account.did_password_changed',
  refresh_reused: 'account.did_refresh_reused',
  app_reused: 'account.did_app_reused',
  refresh_repeated: 'account.did_refresh_repeated',
  refresh_adopted: 'account.did_refresh_repeated',
  password_removed: 'account.did_password_removed',
  passkey_added: 'account.did_passkey_added',
  passkey_removed: 'account.did_passkey_removed',
  passkey_copied: 'account.did_passkey_copied',
  passkey_changed: 'account.did_passkey_changed',
  enrolment_key_added: 'account.did_enrolment_key_added',
  enrolment_key_revoked: 'account.did_enrolment_key_revoked',
  account_changed: 'account.did_account_changed',
  offers_changed: 'account.did_offers_changed',
  session_ended: 'account.did_session_ended',
  sessions_ended: 'account.did_session_ended',
  app_connected: 'account.did_app_connected',
  app_disconnected: 'account.did_app_disconnected',
  device_let_in: 'account.did_device_let_in',
  phone_changed: 'account.did_phone_changed',
  email_changed: 'account.did_email_changed',
  email_change_undone: 'account.did_email_change_undone',
  exported: 'account.did_exported',
  viewed: 'account.did_viewed',
  deletion_requested: 'account.did_deletion_requested',
  deletion_taken_back: 'account.did_deletion_taken_back',
  authenticator_added: 'account.did_authenticator_added',
  authenticator_removed: 'account.did_authenticator_removed',
  recovery_codes_renewed: 'account.did_recovery_codes_renewed',
  recovery_code_used: 'account.did_recovery_code_used',
  second_step_removal_requested: 'account.did_second_step_removal_requested',
  second_step_kept: 'account.did_second_step_kept',
  second_step_removed: 'account.did_second_step_removed',
  remembered_devices_forgotten: 'account.did_remembered_devices_forgotten',
};
/** Lines of an unknown kind, from a newer server, still show time and browser. */
const words: Readonly<Record<string, MessageId>> = activityWords;

/** Entries that the page shows first, and how many each further request adds. */
const lines = { first: '5', further: '20' };

const ask = async (signal: AbortSignal, { locale, before }: { locale: LanguageCode; before?: string }) => {
  const page = before ? { before, limit: lines.further } : { limit: lines.first };
  return sendRequest(readActivity, { query: { locale, ...page }, signal });
};

type Activities = Awaited<ReturnType<typeof ask>>;

/** Puts new entries before the known ones. Drops the known ones if there may be others between. */
function joinActivity(known: Activities, newest: Activities): Activities {
  const last = known.records.findIndex(({ id }) => id === newest.records.at(-1)?.id);
  if (last < 0) return newest;
  return { records: [...newest.records, ...known.records.slice(last + 1)], next: known.next };
}

/** The activity log, newest first; older entries load on demand. */
export function Activity() {
  const { time } = useTimes();
  const { language: locale } = usePage();
  const read = useRead((signal) => ask(signal, { locale }));
  const { response } = read;
  const refreshing = useRequest(async (signal) => {
    const newest = await ask(signal, { locale });
    read.setResponse((known) => (known ? joinActivity(known, newest) : newest));
  });
  useAccountChanges(refreshing.restart, refreshing.start);
  const older = useRequest(async (signal) => {
    if (!response?.next) return;
    const { records, next } = await ask(signal, { locale, before: response.next });
    read.setResponse((known) => ({ records: [...(known?.records ?? []), ...records], next }));
  });
  return (
    <Card>
      <Heading text="account.activity" />
      <Unread read={read}>
        {byDay(response?.records ?? []).map(({ date, entries }) => (
          <section key={date} className={css.day}>
            <DayTitle at={entries[0].at} level="h3" />
            <Lines>
              {entries.map(({ id, at, kind, device, ip, place }) => (
                <li key={id} className={css.entry}>
                  {words[kind] && (
                    <span>
                      <Text id={words[kind]} />
                    </span>
                  )}
                  {ip && (
                    <span className={css.where}>
                      <Facts>
                        <DeviceName name={device} />
                        <bdi>{ip}</bdi>
                        {place && <bdi>{place}</bdi>}
                      </Facts>
                    </span>
                  )}
                  <time className={css.when} dateTime={at}>
                    {time(at)}
                  </time>
                </li>
              ))}
            </Lines>
          </section>
        ))}
        {response?.next && <Button label="account.older" quiet narrow request={older} />}
        <Failed failure={older.error} />
      </Unread>
    </Card>
  );
}
