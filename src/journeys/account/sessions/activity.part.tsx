import { Text } from '../../../browser/language/text.tsx';
import { usePage } from '../../../browser/navigation/page.tsx';
import { useRequest } from '../../../browser/requests/request-status.ts';
import { sendRequest } from '../../../browser/requests/send-request.ts';
import type { LanguageCode } from '../../../contract/languages.ts';
import type { MessageId } from '../../../messages/ids.ts';
import { Button } from '../../../ui/button.tsx';
import { Line, Lines, useTimes } from '../lines.part.tsx';
import { Failed, Unread, useRead } from '../read.part.tsx';
import { Device, Where } from './device.part.tsx';

/** Text of each kind; entries of an unknown kind, from a newer server, still show time and device. */
const words: Readonly<Record<string, MessageId>> = {
  registered: 'account.did_registered',
  signed_in: 'account.did_signed_in',
  signed_out: 'account.did_signed_out',
  recovery_requested: 'account.did_recovery_requested',
  password_reset: 'account.did_password_reset',
  password_changed: 'account.did_password_changed',
  refresh_reused: 'account.did_refresh_reused',
  refresh_repeated: 'account.did_refresh_repeated',
  refresh_adopted: 'account.did_refresh_repeated',
  account_changed: 'account.did_account_changed',
  offers_changed: 'account.did_offers_changed',
  session_ended: 'account.did_session_ended',
  sessions_ended: 'account.did_session_ended',
  device_forgotten: 'account.did_device_forgotten',
  phone_changed: 'account.did_phone_changed',
  email_changed: 'account.did_email_changed',
  email_change_undone: 'account.did_email_change_undone',
  exported: 'account.did_exported',
  deletion_requested: 'account.did_deletion_requested',
  deletion_taken_back: 'account.did_deletion_taken_back',
};

const ask = async (signal: AbortSignal, { locale, before }: { locale: LanguageCode; before?: string }) => {
  const { readActivity } = await import('./sessions.contract.ts');
  return sendRequest(readActivity, { query: { locale, limit: '20', ...(before && { before }) }, signal });
};

/** The activity log, newest first; older entries load on demand. */
export function Activity() {
  const time = useTimes();
  const { language: locale } = usePage();
  const read = useRead((signal) => ask(signal, { locale }));
  const { answer } = read;
  const older = useRequest(async (signal) => {
    if (!answer?.next) return;
    const { records, next } = await ask(signal, { locale, before: answer.next });
    read.setAnswer({ records: [...answer.records, ...records], next });
  });
  return (
    <Unread read={read}>
      <Lines>
        {answer?.records.map(({ id, at, kind, device, ip, place }) => (
          <Line
            key={id}
            title={words[kind] ? <Text id={words[kind]} /> : time(at)}
            details={[
              time(at),
              <span key="where">
                <Device name={device} />
                {' · '}
                <Where ip={ip} place={place} />
              </span>,
            ]}
          />
        ))}
      </Lines>
      {answer?.next && (
        <Button
          label="account.older"
          quiet
          narrow
          busy={older.state === 'pending' ? 'form.wait' : undefined}
          retry={older.restart}
          onClick={() => void older.start()}
        />
      )}
      <Failed failure={older.error} />
    </Unread>
  );
}
