import { Section } from '../layout/section.part.tsx';
import { Devices } from './devices.part.tsx';

/** The devices that signed in to the account, and their sessions. */
export default function DevicesPage() {
  return <Section title="account_devices.page">{() => <Devices />}</Section>;
}
