import type { ComponentProps } from 'react';
import css from './input.module.css';

/** Where one line is typed. */
export const Input = ({ className = '', ...input }: ComponentProps<'input'>) => (
  <input {...input} className={`${css.input} ${className}`} />
);
