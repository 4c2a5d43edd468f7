import { type KeyboardEvent, useEffect, useRef, useState } from 'react';
import { Text } from '../../browser/language/text.tsx';
import { Button } from '../../ui/button.tsx';
import { Field, inputProps } from '../../ui/fields/field.tsx';
import { Input } from '../../ui/fields/input.tsx';
import { Stack } from '../../ui/layouts/stack.tsx';
import type { Way } from './kept-call.part.ts';
import type { PhoneConfirmation } from './use-confirm-phone.part.ts';

/** A number that nobody has (reserved for fiction), and what to type of it. */
const example = { example: '+1\u00a0202\u00a0555\u00a00147', digits: '0147' };

/** The digits of the calling number; a whole number that is pasted will do. Nothing is sent before it is asked for. */
export function Digits({ confirmation, way }: { confirmation: PhoneConfirmation; way: Way }) {
  const { field, check, checkAnew, checking, inUse } = confirmation;
  const input = useRef<HTMLInputElement>(null);
  /** The answer that something was typed after. */
  const [heeded, setHeeded] = useState<number>();

  // biome-ignore lint/correctness/useExhaustiveDependencies: when it comes up; a reload leaves the focus alone
  useEffect(() => {
    if (inUse) input.current?.focus();
  }, []);
  useEffect(() => {
    if (checking.error) input.current?.select();
  }, [checking.error]);

  const typed = () => input.current?.value ?? '';
  const confirm = () => check(typed());
  const confirmByEnter = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.nativeEvent.isComposing) return;
    // The form around it is not what is sent.
    event.preventDefault();
    confirm();
  };

  const failure = checking.lastUpdate === heeded ? undefined : checking.error;
  const wrong = failure?.fields.find((one) => one.field === 'digits');
  const digits = { id: field.id, name: 'digits', value: '', error: wrong ?? field.error };
  const hint = way === 'ring' && <Text id="phone.digits_hint" values={example} />;
  const refusal = failure && !wrong && <Text {...failure.text} />;
  return (
    <Stack tight>
      <Field
        field={digits}
        label={way === 'ring' ? 'phone.digits' : 'phone.voice_digits'}
        hint={hint}
        refusal={refusal}
      >
        <Input
          {...inputProps({ ...digits, error: digits.error ?? failure }, hint)}
          ref={input}
          type="text"
          inputMode="numeric"
          enterKeyHint="done"
          autoComplete="off"
          dir="ltr"
          onKeyDown={confirmByEnter}
          onInput={() => setHeeded(checking.lastUpdate)}
        />
      </Field>
      <Button
        label="phone.confirm"
        busy={checking.state === 'pending' ? 'form.wait' : undefined}
        onClick={confirm}
        retry={() => checkAnew(typed())}
      />
    </Stack>
  );
}
