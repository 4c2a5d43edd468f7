import type { MouseEvent, ReactNode } from 'react';
import { Text } from '../browser/language/text.tsx';
import type { MessageId } from '../messages/ids.ts';
import css from './text-button.module.css';

interface TextButtonProps {
  /** Its words, unless they are its content. */
  label?: MessageId;
  onClick: (event: MouseEvent) => void;
  /** Direction of its text, if that is the same in every language. */
  dir?: 'ltr';
  /** Destroys something. */
  danger?: boolean;
  'aria-describedby'?: string | undefined;
  children?: ReactNode;
}

export const textButton = css.button as string;

/** A button that looks like a link, for small actions beside or inside a text. */
export const TextButton = ({ label, onClick, dir, danger, children, ...described }: TextButtonProps) => (
  <button
    type="button"
    className={danger ? `${textButton} ${css.danger}` : textButton}
    dir={dir}
    onClick={onClick}
    {...described}
  >
    {label ? <Text id={label} /> : children}
  </button>
);
