import { type ComponentProps, useEffect } from 'react';
import { Text } from '../../browser/language/text.tsx';
import { Link } from '../../browser/navigation/navigation.tsx';
import { useCountdown } from '../../browser/platform/countdown.ts';
import { minutes, seconds } from '../../contract/durations.ts';
import { FormProblems } from '../../ui/feedback/form-problems.tsx';
import { Notice } from '../../ui/feedback/notice.tsx';

interface LockedProps {
  /** The form that the lockout refused. */
  form: ComponentProps<typeof FormProblems>['form'];
  /** Milliseconds from the refusal. */
  wait: number;
}

/** Shows how long the lockout lasts, other methods to sign in, and when it is over. */
export function Locked({ form, wait }: LockedProps) {
  const { failure, request } = form;
  const { left, clock } = useCountdown((request.lastUpdate as number) + wait, wait);
  const free = left === 0;
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs after each failure
  useEffect(() => {
    if (free) form.moveFocus(document.getElementById('password'));
  }, [free, failure]);
  if (free)
    return (
      <Notice kind="info" role="status">
        <Text id="sign_in.unlocked" />
      </Notice>
    );
  return (
    <FormProblems
      form={form}
      help={() => (
        <>
          {/* Screen readers do not announce a `timer` every second. */}
          <p role="timer">
            <Text id="sign_in.locked" values={{ time: clock }} />
          </p>
          <p>
            <Text id="sign_in.locked_way_out" tags={{ reset: <Link to="/recovery/" /> }} />
          </p>
        </>
      )}
      minutes={Math.ceil(seconds(left) / minutes(1))}
    />
  );
}
