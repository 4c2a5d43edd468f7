import { type ReactNode, useEffect, useState } from 'react';
import { Text } from '../../browser/language/text.tsx';
import { usePage } from '../../browser/navigation/page.tsx';
import { useAccount } from '../../browser/requests/account.ts';
import type { MessageId } from '../../messages/ids.ts';
import { AccountLayout } from '../../ui/layouts/account-layout.tsx';
import { AccountMail } from '../../ui/layouts/account-mail.tsx';
import { AccountUnread } from '../../ui/layouts/account-unread.tsx';
import { Card } from '../../ui/layouts/card.tsx';
import { Title } from '../../ui/layouts/title.tsx';
import { AlarmSettings } from '../alarms/alarms.part.tsx';
import { Behind } from './behind.part.tsx';
import { Consents } from './consents.part.tsx';
import { AskEmail } from './contacts/ask-email.part.tsx';
import { ChangePhone } from './contacts/change-phone.part.tsx';
import { Contacts } from './contacts/contacts.part.tsx';
import { Details } from './details.part.tsx';
import { Delete, Export, Left } from './leaving/leave.part.tsx';
import { ChangePassword } from './password/password.part.tsx';
import { Activity } from './sessions/activity.part.tsx';
import { Devices } from './sessions/devices.part.tsx';
import { Sessions } from './sessions/sessions.part.tsx';

/** Forms that a button opens, one at a time. */
type Form = 'email' | 'phone' | 'password' | 'delete';

/** The account page: its owner reads and changes the details. */
export default function Account() {
  const { account, failure, retry } = useAccount();
  /** The form that is open or was submitted last. */
  const [shown, show] = useState<{ form: Form; state: 'open' | 'done' }>();
  const behind = (form: Form) => ({
    state: shown?.form === form ? shown.state : ('closed' as const),
    set: (state: 'open' | 'done') => show({ form, state }),
  });
  const place = usePage();
  const read = account !== undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs at every navigation to this page, even from itself
  useEffect(() => {
    const { hash } = location;
    if (!read || !hash) return;
    const form = hash === '#change-password' ? 'password' : 'email';
    if (hash === '#change-password' || hash === '#change-email') show({ form, state: 'open' });
    document.getElementById(hash.slice(1))?.scrollIntoView();
  }, [place, read]);
  if (shown?.form === 'delete' && shown.state === 'done') return <Left />;
  return (
    <AccountLayout>
      <Title>
        <Text id="account.page" />
      </Title>
      {!account && <AccountUnread failure={failure} retry={retry} />}
      {account && (
        <>
          <AccountMail account={account} />
          <Section title="account.details">
            <Details account={account} />
          </Section>
          <Section id="change-email" title="account.contact">
            <Contacts account={account} />
            <Behind {...behind('email')} label="account.change_email" said="account.email_sent">
              {(done) => <AskEmail done={done} />}
            </Behind>
            <Behind {...behind('phone')} label="account.change_phone" said="account.phone_changed">
              {(done) => <ChangePhone email={account.email} done={done} />}
            </Behind>
          </Section>
          <Section id="change-password" title="account.change_password">
            <Behind {...behind('password')} label="account.change_password" said="account.password_changed">
              {(done) => <ChangePassword email={account.email} done={done} />}
            </Behind>
          </Section>
          <Section id="sessions" title="account.sessions">
            <Sessions key={shown?.state} />
          </Section>
          <Section id="alarms" title="alarms.title">
            <AlarmSettings />
          </Section>
          <Section title="account.devices">
            <Devices />
          </Section>
          <Section title="account.activity">
            <Activity />
          </Section>
          <Section title="account.consents">
            <Consents account={account} />
          </Section>
          <Section title="account.export">
            <Export />
          </Section>
          <Section title="account.delete">
            <p>
              <Text id="account.delete_text" />
            </p>
            <Behind {...behind('delete')} label="account.delete">
              {(done) => <Delete done={done} />}
            </Behind>
          </Section>
        </>
      )}
    </AccountLayout>
  );
}

interface SectionProps {
  /** Anchor for links to the section. */
  id?: string;
  title: MessageId;
  children: ReactNode;
}

const Section = ({ id, title, children }: SectionProps) => (
  <Card id={id}>
    <h2 tabIndex={-1}>
      <Text id={title} />
    </h2>
    {children}
  </Card>
);
