import type { ClipboardEvent, ComponentProps } from 'react';
import css from './digits-input.module.css';
import { Input } from './input.tsx';

interface DigitsInputProps extends Omit<ComponentProps<'input'>, 'className' | 'onPaste'> {
  /** How many digits a code may have. */
  lengths: readonly number[];
}

/** For digits that are read in one place and typed in another: large, and each as wide as the next. A pasted message leaves its code. */
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
