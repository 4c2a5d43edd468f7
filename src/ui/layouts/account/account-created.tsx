import { useEffect, useState } from 'react';
import { Text } from '../../../browser/language/text.tsx';
import { tabStorage } from '../../../browser/platform/storage.ts';
import { minutes } from '../../../contract/durations.ts';
import { Notice } from '../../feedback/notice.tsx';

/** The last place of a new account may be outside of our pages; a visit after this time reports nothing. */
const reportedWithin = minutes(1);

/** Reports a registration once, on the page where the user arrives. */
export function AccountCreated() {
  const [isNew, setNew] = useState(false);
  useEffect(() => {
    const at = Number(tabStorage.read('registered_at') ?? 0);
    tabStorage.write('registered_at', undefined);
    setNew(Date.now() - at < reportedWithin);
  }, []);
  if (!isNew) return null;
  return (
    <Notice kind="success" role="status">
      <Text id="register.success" />
    </Notice>
  );
}
