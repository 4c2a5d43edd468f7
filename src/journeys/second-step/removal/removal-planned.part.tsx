import { Text } from '../../../browser/language/text.tsx';
import { useTimes } from '../../../browser/language/times.ts';
import { Notice } from '../../../ui/feedback/notice.tsx';

/** When the second step will be removed, if someone with the password requested that. Takes ISO 8601. */
export function RemovalPlanned({ at }: { at: string | null }) {
  const { when } = useTimes();
  if (at === null) return null;
  return (
    <Notice kind="info">
      <p>
        <Text id="second_step.removal_at" dir="auto" values={{ when: when(at) }} />
      </p>
    </Notice>
  );
}
