import type { ComponentProps, ReactNode } from 'react';
import css from './stack.module.css';

interface StackProps {
  /** What belongs together; else as far apart as the fields of a form. */
  tight?: boolean;
  children: ReactNode;
}

/** One below the other. */
export const Stack = ({ tight = false, children }: StackProps) => (
  <div className={tight ? css.tight : css.stack}>{children}</div>
);

/** The fields of a form, and its button, one below the other; the props are those of `useForm`. */
export const FormStack = (props: ComponentProps<'form'>) => <form {...props} className={css.stack} />;

/** Below a form: other ways to go on. */
export const BelowForm = ({ children }: { children: ReactNode }) => <div className={css.below}>{children}</div>;
