import { useEffect, useState } from 'react';
import { Text } from '../../../browser/language/text.tsx';
import { tabStorage } from '../../../browser/platform/storage.ts';
import { Notice } from '../../feedback/notice.tsx';

/** Reports on the first page after a sign-in that it canceled the deletion of the account. */
export function AccountKept() {
  const [isKept] = useState(() => tabStorage.read('deletion_canceled') !== undefined);
  useEffect(() => tabStorage.write('deletion_canceled', undefined), []);
  if (!isKept) return null;
  return (
    <Notice kind="success" role="status">
      <Text id="account.kept" />
    </Notice>
  );
}
