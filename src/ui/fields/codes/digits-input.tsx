import { type ClipboardEvent, type ComponentProps, type InputEvent, useEffect, useRef } from 'react';
import { after } from '../../../browser/platform/timer.ts';
import { seconds } from '../../../contract/durations.ts';
import { callingNumberMinLength, phoneDigits } from '../../../contract/field-sizes.ts';
import { Input } from '../input.tsx';
import { pasteDigits } from './digits-in-text.ts';
import css from './digits-input.module.css';

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
