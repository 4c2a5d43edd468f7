import { Text } from '../../../browser/language/text.tsx';
import type { readAccount } from '../../../contract/account.ts';
import type { Answered } from '../../../contract/endpoint.ts';
import { Line, Lines } from '../lines.part.tsx';

/** The owner's email address and phone number, and whether each is confirmed. */
export function Contacts({ account }: { account: Answered<typeof readAccount> }) {
  const { email, email_confirmed: proven = false, phone, phone_written = phone, phone_confirmed } = account;
  return (
    <Lines>
      <Line
        title={<bdi dir="ltr">{email}</bdi>}
        details={[<Text key="e" id={proven ? 'account.confirmed' : 'account.unconfirmed'} />]}
      />
      {phone && (
        <Line
          title={<bdi dir="ltr">{phone_written}</bdi>}
          details={[<Text key="p" id={phone_confirmed ? 'account.confirmed' : 'account.unconfirmed'} />]}
        />
      )}
    </Lines>
  );
}
