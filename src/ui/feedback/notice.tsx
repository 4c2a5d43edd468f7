import type { ReactNode, Ref } from 'react';
import { Exclamation, Information, Tick } from '../icons.tsx';
import css from './notice.module.css';

const pictures = { danger: <Exclamation />, success: <Tick />, info: <Information /> };

interface NoticeProps {
  kind: keyof typeof pictures;
  /** `alert` interrupts a screen reader, `status` waits. */
  role?: 'alert' | 'status' | undefined;
  /** To bring the focus here. */
  ref?: Ref<HTMLDivElement>;
  children: ReactNode;
}

/** Something that the page has to say. */
export const Notice = ({ kind, role, ref, children }: NoticeProps) => (
  <div ref={ref} tabIndex={ref ? -1 : undefined} role={role} className={`${css.notice} ${css[kind]}`}>
    {pictures[kind]}
    <div className={css.words}>{children}</div>
  </div>
);
