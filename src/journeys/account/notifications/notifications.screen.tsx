import { Text } from '../../../browser/language/text.tsx';
import { Card } from '../../../ui/layouts/card.tsx';
import { AlarmSettings } from '../../alarms/alarms.part.tsx';
import { Section } from '../layout/section.part.tsx';
import { Notifications } from './notifications.part.tsx';

/** Which emails the owner gets, in which language, and which alarms. */
export default function NotificationsPage() {
  return (
    <Section title="account_notifications.page">
      {(account) => (
        <>
          <Card id="alarms">
            <h2 tabIndex={-1}>
              <Text id="alarms.title" />
            </h2>
            <AlarmSettings />
          </Card>
          <Notifications account={account} />
        </>
      )}
    </Section>
  );
}
