import type { ComponentProps, ReactNode } from 'react';
import css from './stack.module.css';

interface StackProps {
  /** A small gap for related elements; default: the gap between a form's fields. */
  tight?: boolean;
  children: ReactNode;
}

/** A vertical stack. */
export const Stack = ({ tight = false, children }: StackProps) => (
  <div className={tight ? css.tight : css.stack}>{children}</div>
);

/** A form with its fields and button in a stack; takes the props of `useForm`. */
export const FormStack = (props: ComponentProps<'form'>) => <form {...props} className={css.stack} />;

/** Links and buttons below a form. */
export const BelowForm = ({ children }: { children: ReactNode }) => <div className={css.below}>{children}</div>;
