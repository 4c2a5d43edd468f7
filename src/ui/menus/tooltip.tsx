import { type ReactNode, useEffect, useRef, useState } from 'react';
import { popupDispose, tooltipDelay } from '../../browser/constants.ts';
import css from './tooltip.module.css';

interface TooltipProps {
  /** The accessible name of the children. Screen readers already read it there, so the tooltip is hidden from them. */
  text: string;
  className?: string | undefined;
  children: ReactNode;
}

/** Shows the name of an icon button on hover or keyboard focus. Escape closes it. */
export function Tooltip({ text, className = '', children }: TooltipProps) {
  const [shown, setShown] = useState(false);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const show = (next: boolean, delay: number) => {
    clearTimeout(timer.current);
    timer.current = setTimeout(setShown, delay, next);
  };
  useEffect(() => () => clearTimeout(timer.current), []);
  return (
    <span
      className={`${css.around} ${className}`}
      onPointerEnter={(event) => event.pointerType === 'mouse' && show(true, tooltipDelay)}
      onPointerLeave={() => show(false, popupDispose)}
      onFocus={(event) => event.target.matches(':focus-visible') && show(true, tooltipDelay)}
      onBlur={() => show(false, popupDispose)}
      onKeyDown={(event) => event.key === 'Escape' && show(false, 0)}
      onClick={() => show(false, 0)}
    >
      {children}
      {shown && (
        <span className={css.tip} aria-hidden="true">
          {text}
        </span>
      )}
    </span>
  );
}
