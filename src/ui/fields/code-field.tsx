import {
  type ClipboardEvent,
  type ComponentProps,
  type InputEvent,
  type KeyboardEvent,
  useEffect,
  useRef,
} from 'react';
import type { Form } from '../../browser/forms/form.ts';
import { Text } from '../../browser/language/text.tsx';
import { after } from '../../browser/platform/timers.ts';
import type { RequestFailure } from '../../browser/requests/request-status.ts';
import { callingNumberMinLength, mailCodeDigits, phoneDigits } from '../../contract/fields/field-sizes.ts';
import { seconds } from '../../contract/units.ts';
import type { MessageId } from '../../messages/ids.ts';
import css from './code-field.module.css';
import { pasteDigits } from './digits-in-text.ts';
import { Field, Input, inputProps } from './field.tsx';

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

/** Below a wrong code of an authenticator app, whose clock may be wrong. */
export const clockHelp = ({ code }: RequestFailure) => code === 'code_incorrect' && <Text id="second_step.clock" />;

/** Characters of a phone number as people copy it. */
const numberCharacters = /^[\p{Nd}\p{Pd}\p{Cf}\s()+./]*$/u;

/** Whether a pasted text is a whole calling number, of which the last digits count. */
const isCallingNumber = (text: string, lengths: readonly number[]): boolean =>
  lengths.includes(phoneDigits) &&
  numberCharacters.test(text) &&
  text.replace(/\P{Nd}/gu, '').length >= callingNumberMinLength;

interface DigitsInputProps extends Omit<ComponentProps<'input'>, 'className' | 'onPaste'> {
  /** How many digits a code may have. */
  lengths: readonly number[];
  /** Takes a line of the form for itself. */
  wide?: boolean;
  /** Called once the last digit was typed or pasted. */
  onComplete?: () => unknown;
}

/** After four digits, since they may be the beginning of the whole calling number. Milliseconds. */
const pause = seconds(1);
const bareDigits = /^[\p{Nd}\s-]*$/u;

const isComplete = (text: string, lengths: readonly number[]): boolean =>
  bareDigits.test(text) && text.replace(/[\s-]/g, '').length === Math.max(...lengths);

/** An input for a code copied by hand: large digits of equal width. A pasted message is reduced to its code. */
export function DigitsInput({ lengths, wide = false, onComplete, onInput, ...input }: DigitsInputProps) {
  const stop = useRef<() => void>(undefined);
  useEffect(() => () => stop.current?.(), []);
  /** The pause outlasts renders, which change what `onComplete` knows. */
  const latest = useRef(onComplete);
  useEffect(() => {
    latest.current = onComplete;
  });
  const complete = () => latest.current?.();

  function type(event: InputEvent<HTMLInputElement>): void {
    onInput?.(event);
    stop.current?.();
    const { value } = event.currentTarget;
    if (!onComplete) return;
    // A typed number may go on, so only a pasted one is complete.
    if (event.nativeEvent.inputType === 'insertFromPaste' && isCallingNumber(value, lengths)) {
      stop.current = after(0, complete);
      return;
    }
    if (!isComplete(value, lengths)) return;
    stop.current = after(Math.max(...lengths) === phoneDigits ? pause : 0, complete);
  }

  function paste(event: ClipboardEvent<HTMLInputElement>): void {
    const { currentTarget: field, clipboardData } = event;
    const text = clipboardData.getData('text');
    if (!/\p{L}/u.test(text)) return;
    event.preventDefault();
    pasteDigits(field, { text, lengths });
  }
  return <Input {...input} className={wide ? css.code : css.digits} onInput={type} onPaste={paste} />;
}
