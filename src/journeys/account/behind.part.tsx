import { type ReactNode, useEffect, useRef } from 'react';
import { Text } from '../../browser/language/text.tsx';
import type { MessageId } from '../../messages/ids.ts';
import { Button } from '../../ui/button.tsx';
import { Notice } from '../../ui/feedback/notice.tsx';
import { Stack } from '../../ui/layouts/stack.tsx';

interface BehindProps {
  /** Of the button that opens the form. */
  label: MessageId;
  /** What is said once the form was sent. */
  said?: MessageId;
  state: 'closed' | 'open' | 'done';
  set: (state: 'open' | 'done') => void;
  /** The form, which calls `done`. */
  children: (done: () => void) => ReactNode;
}

/** A form that a button opens in its own place. */
export function Behind({ label, said, state, set, children }: BehindProps) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // What had the focus is gone with the step before.
    if (state === 'closed' || document.activeElement !== document.body) return;
    const controls = place.current?.querySelectorAll<HTMLElement>('input, button') ?? [];
    const inputs = [...controls].filter((one) => one.checkVisibility() && !one.hasAttribute('popovertarget'));
    inputs[0]?.focus();
  }, [state]);
  return (
    <div ref={place}>
      {state === 'open' ? (
        children(() => set('done'))
      ) : (
        <Stack tight>
          {state === 'done' && said && (
            <Notice kind="success" role="status">
              <Text id={said} />
            </Notice>
          )}
          <div>
            <Button label={label} quiet narrow onClick={() => set('open')} />
          </div>
        </Stack>
      )}
    </div>
  );
}
