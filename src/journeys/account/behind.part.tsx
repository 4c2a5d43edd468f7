import { type ReactNode, useEffect, useRef } from 'react';
import { Text } from '../../browser/language/text.tsx';
import type { MessageId } from '../../messages/ids.ts';
import { Button } from '../../ui/button.tsx';
import { Notice } from '../../ui/feedback/notice.tsx';
import { Stack } from '../../ui/layouts/stack.tsx';

interface BehindProps {
  /** Label of the button that opens the form. */
  label: MessageId;
  /** Message once the form was submitted. */
  said?: MessageId;
  state: 'closed' | 'open' | 'done';
  set: (state: 'open' | 'done') => void;
  /** Renders the form, which calls `done` at the end. */
  children: (done: () => void) => ReactNode;
}

/** A button that opens a form and is replaced by it. */
export function Behind({ label, said, state, set, children }: BehindProps) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    // The focused element disappeared with the previous state.
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
