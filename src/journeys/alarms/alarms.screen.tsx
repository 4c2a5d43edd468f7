import { Section } from '../account/layout/section.part.tsx';
import { AlarmSettings } from './alarms.part.tsx';

/** Which alarms the owner gets. */
export default function AlarmsPage() {
  return <Section title="account_alarms.page">{() => <AlarmSettings />}</Section>;
}
