import { Section } from '../layout/section.part.tsx';
import { Notifications } from './notifications.part.tsx';

/** The page where owners choose their emails, and the language of these. */
export default function NotificationsPage() {
  return <Section title="account_notifications.page">{(account) => <Notifications account={account} />}</Section>;
}
