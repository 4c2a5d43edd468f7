import { Section } from '../account/layout/section.part.tsx';
import { AlarmSettings } from './alarms.part.tsx';

/** The page where owners choose their alarms. */
export default function AlarmsPage() {
  return <Section title="account_alarms.page">{() => <AlarmSettings />}</Section>;
}
