import type { ComponentProps } from 'react';
import { Magnifier } from '../layouts/places.tsx';
import { Input } from './field.tsx';
import css from './search-field.module.css';

/** A field for words that a list is searched for. */
export const SearchField = (props: ComponentProps<typeof Input>) => (
  <span className={css.search}>
    <Magnifier />
    <Input type="search" autoComplete="off" spellCheck={false} {...props} />
  </span>
);
