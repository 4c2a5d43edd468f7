import { type KeyboardEvent, useEffect, useRef } from 'react';
import type { Form } from '../../../browser/forms/form.ts';
import { Text } from '../../../browser/language/text.tsx';
import { mailCodeDigits } from '../../../contract/field-sizes.ts';
import type { MessageId } from '../../../messages/ids.ts';
import { Field, inputProps } from '../field.tsx';
import { DigitsInput } from './digits-input.tsx';

interface CodeFieldProps<Name extends string> {
  form: Pick<Form<Record<Name, string>>, 'field' | 'failure' | 'summaryRef' | 'moveFocus'>;
  name: Name;
  label: MessageId;
  /** An element with the id of the field and `-hint` describes the field. */
  hinted?: boolean;
}

/** Six digits from an authenticator app or an email; the last one sends them. The next digits replace wrong ones. */
export function CodeField<Name extends string>({ form, name, label, hinted = false }: CodeFieldProps<Name>) {
  const input = useRef<HTMLInputElement>(null);
  /** The digits that were sent without Enter. */
  const sent = useRef<string>(undefined);
  const field = form.field(name);
  const { failure } = form;
  // After the heading of the step, which takes the focus first.
  useEffect(() => input.current?.focus(), []);
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs after each failure
  useEffect(() => {
    if (failure?.code === 'code_incorrect' && form.moveFocus(input.current)) input.current?.select();
  }, [failure]);
  function complete(): void {
    sent.current = input.current?.value;
    input.current?.form?.requestSubmit();
  }
  // Enter after the last digit, as many people type: the same wrong digits must not cost a second attempt.
  function ignoreLateEnter(event: KeyboardEvent<HTMLInputElement>): void {
    const isSent = event.currentTarget.value === sent.current && (!failure || failure.code === 'code_incorrect');
    if (event.key === 'Enter' && isSent) event.preventDefault();
  }
  return (
    <Field field={field} label={label} refusal={field.error && <Text id={`invalid.${field.error.code}`} />}>
      <DigitsInput
        {...inputProps(field, hinted)}
        ref={(element) => {
          input.current = element;
          // The only field gets the focus instead of the summary, so that the next keys correct it.
          form.summaryRef.current = element;
        }}
        lengths={[mailCodeDigits]}
        wide
        onComplete={complete}
        onKeyDown={ignoreLateEnter}
        type="text"
        inputMode="numeric"
        autoComplete="one-time-code"
        dir="ltr"
      />
    </Field>
  );
}
