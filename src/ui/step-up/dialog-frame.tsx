import type { ReactNode, Ref } from 'react';
import { Text } from '../../browser/language/text.tsx';
import type { MessageId } from '../../messages/ids.ts';
import css from './dialog-frame.module.css';

interface DialogFrameProps {
  ref: Ref<HTMLDialogElement>;
  title: MessageId;
  /** Ids of the elements that name and describe the dialog. */
  labelledBy: string;
  describedBy: string;
  /** Called when the user presses Escape or clicks beside the dialog. */
  cancel: () => void;
  children: ReactNode;
}

/** A modal dialog with a heading. Its owner opens it with `showModal`. */
export const DialogFrame = ({ ref, title, labelledBy, describedBy, cancel, children }: DialogFrameProps) => (
  <dialog
    ref={ref}
    className={css.dialog}
    aria-labelledby={labelledBy}
    aria-describedby={describedBy}
    onCancel={(event) => {
      // The owner removes the dialog, and first moves the focus.
      event.preventDefault();
      cancel();
    }}
  >
    <div className={css.content}>
      <h2 id={labelledBy} className={css.title}>
        <Text id={title} />
      </h2>
      {children}
    </div>
  </dialog>
);
