import { usePage } from '../../../browser/navigation/page.tsx';
import { AccountLayout } from '../../../ui/layouts/account/account-layout.tsx';
import { DevicePage } from './device-page.part.tsx';

/** The page of one device. */
export default function Device() {
  const { id = '' } = usePage().params;
  return (
    <AccountLayout>
      <DevicePage key={id} id={id} />
    </AccountLayout>
  );
}
