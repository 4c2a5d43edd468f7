import type { ClipboardEvent, ComponentProps } from 'react';
import css from './digits-input.module.css';
import { Input } from './input.tsx';

interface DigitsInputProps extends Omit<ComponentProps<'input'>, 'className' | 'onPaste'> {
  /** How many digits a code may have. */
  lengths: readonly number[];
}

/** An input for a code copied by hand: large digits of equal width. A pasted message is reduced to its code. */
export function DigitsInput({ lengths, ...input }: DigitsInputProps) {
  function paste(event: ClipboardEvent<HTMLInputElement>): void {
    const { currentTarget: field, clipboardData } = event;
    const text = clipboardData.getData('text');
    if (!/\p{L}/u.test(text)) return;
    event.preventDefault();
    import('./digits-in-text.ts').then(
      ({ pasteDigits }) => pasteDigits(field, { text, lengths }),
      () => undefined,
    );
  }
  return <Input {...input} className={css.digits} onPaste={paste} />;
}
