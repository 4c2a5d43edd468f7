import type { ComponentProps } from 'react';
import css from './input.module.css';

/** A one-line input. */
export const Input = ({ className = '', ...input }: ComponentProps<'input'>) => (
  <input {...input} className={`${css.input} ${className}`} />
);
