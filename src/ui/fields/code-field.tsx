import { useEffect, useRef } from 'react';
import type { Form } from '../../browser/forms/form.ts';
import { Text } from '../../browser/language/text.tsx';
import { mailCodeDigits } from '../../contract/field-sizes.ts';
import type { MessageId } from '../../messages/ids.ts';
import { DigitsInput } from './digits-input.tsx';
import { Field, inputProps } from './field.tsx';

interface CodeFieldProps<Name extends string> {
  form: Pick<Form<Record<Name, string>>, 'field' | 'failure' | 'summaryRef'>;
  name: Name;
  label: MessageId;
  /** Takes the focus when it appears. */
  focused?: boolean;
}

/** The six digits of an authenticator app; the last one sends them. The next digits replace wrong ones. */
export function CodeField<Name extends string>({ form, name, label, focused = true }: CodeFieldProps<Name>) {
  const input = useRef<HTMLInputElement>(null);
  const field = form.field(name);
  const { failure } = form;
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs on mount only
  useEffect(() => {
    if (focused) input.current?.focus();
  }, []);
  useEffect(() => {
    if (failure?.code === 'code_incorrect') input.current?.select();
  }, [failure]);
  return (
    <Field field={field} label={label} refusal={field.error && <Text id={`invalid.${field.error.code}`} />}>
      <DigitsInput
        {...inputProps(field)}
        ref={(element) => {
          input.current = element;
          // The only field gets the focus instead of the summary, so that the next keys correct it.
          form.summaryRef.current = element;
        }}
        lengths={[mailCodeDigits]}
        onComplete={() => input.current?.form?.requestSubmit()}
        type="text"
        inputMode="numeric"
        autoComplete="one-time-code"
        dir="ltr"
      />
    </Field>
  );
}
