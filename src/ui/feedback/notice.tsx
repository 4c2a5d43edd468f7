import type { ReactNode, Ref } from 'react';
import { Text } from '../../browser/language/text.tsx';
import type { RequestFailure } from '../../browser/requests/request-failure.ts';
import { Exclamation, Information, Tick } from '../icons.tsx';
import css from './notice.module.css';

const kinds = {
  danger: { picture: <Exclamation />, look: css.danger },
  success: { picture: <Tick />, look: css.success },
  info: { picture: <Information />, look: css.info },
};

interface NoticeProps {
  kind: keyof typeof kinds;
  /** `alert` interrupts a screen reader, `status` waits. */
  role?: 'alert' | 'status' | undefined;
  /** Makes the notice focusable. */
  ref?: Ref<HTMLDivElement>;
  children: ReactNode;
}

/** A message on the page, with an icon. */
export const Notice = ({ kind, role, ref, children }: NoticeProps) => (
  <div ref={ref} tabIndex={ref ? -1 : undefined} role={role} className={`${css.notice} ${kinds[kind].look}`}>
    {kinds[kind].picture}
    <div className={css.words}>{children}</div>
  </div>
);

/** Explains why a request failed. */
export const Failed = ({ failure }: { failure: RequestFailure | undefined }) =>
  failure ? (
    <Notice kind="danger" role="alert">
      <Text {...failure.text} />
    </Notice>
  ) : null;
