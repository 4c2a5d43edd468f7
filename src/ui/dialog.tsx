import type { ReactNode, Ref } from 'react';
import css from './dialog.module.css';

interface DialogProps {
  ref: Ref<HTMLDialogElement>;
  /** Ids of the elements that name and describe the dialog. */
  labelledBy: string;
  describedBy?: string;
  /** Called when the user presses Escape, instead of closing the dialog. */
  cancel?: () => void;
  children: ReactNode;
}

/** A modal dialog. Its owner opens it with `showModal`. */
export const Dialog = ({ ref, labelledBy, describedBy, cancel, children }: DialogProps) => (
  <dialog
    ref={ref}
    className={css.dialog}
    aria-labelledby={labelledBy}
    aria-describedby={describedBy}
    onCancel={(event) => {
      if (!cancel) return;
      // The owner removes the dialog, and first moves the focus.
      event.preventDefault();
      cancel();
    }}
  >
    <div className={css.content}>{children}</div>
  </dialog>
);
