import { Section } from '../layout/section.part.tsx';
import { Notifications } from './notifications.part.tsx';

/** Which emails the owner gets, and in which language. */
export default function NotificationsPage() {
  return <Section title="account_notifications.page">{(account) => <Notifications account={account} />}</Section>;
}
