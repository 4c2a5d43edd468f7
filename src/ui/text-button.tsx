import type { ReactNode } from 'react';
import css from './text-button.module.css';

interface TextButtonProps {
  onClick: () => void;
  /** Of what it says, where that runs one way in every language. */
  dir?: 'ltr';
  children?: ReactNode;
}

/** Looks like a link, is a button: for small things beside or inside a text. */
export const TextButton = ({ onClick, dir, children }: TextButtonProps) => (
  <button type="button" className={css.button} dir={dir} onClick={onClick}>
    {children}
  </button>
);
