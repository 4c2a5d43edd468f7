import { type ReactNode, useEffect, useRef, useState } from 'react';
import { menuHide, popupDispose, tooltipDelay } from '../../browser/constants.ts';
import css from './menu.module.css';

interface MenuProps {
  id: string;
  /** Content of the button, with an accessible name. */
  button: ReactNode;
  /** The same name as a tooltip, for a button that shows only an icon. */
  tip?: string;
  className?: string | undefined;
  onToggle?: (open: boolean) => void;
  children: (hide: () => void) => ReactNode;
}

/**
 * A button with a popup. The native popover opens on click even before hydration, and closes on Escape or a click
 * elsewhere; this one also closes when the focus leaves, or `menuHide` after the pointer does.
 */
export function Menu({ id, button, tip, className, onToggle, children }: MenuProps) {
  const popup = useRef<HTMLDivElement>(null);
  const leaving = useRef<ReturnType<typeof setTimeout>>(undefined);
  const hide = () => popup.current?.hidePopover();
  // Keep it open for keyboard users, whose pointer may be anywhere.
  const hideUnused = () => popup.current?.contains(document.activeElement) || hide();
  useEffect(() => () => clearTimeout(leaving.current), []);
  const opener = (
    <button type="button" className={css.button} popoverTarget={id}>
      {button}
    </button>
  );
  return (
    <div
      onPointerEnter={() => clearTimeout(leaving.current)}
      onPointerLeave={({ pointerType }) => {
        if (pointerType === 'mouse') leaving.current = setTimeout(hideUnused, menuHide);
      }}
      onBlur={({ currentTarget, relatedTarget }) => {
        if (relatedTarget && !currentTarget.contains(relatedTarget)) hide();
      }}
    >
      {tip === undefined ? opener : <Tooltip text={tip}>{opener}</Tooltip>}
      <div
        id={id}
        ref={popup}
        popover="auto"
        className={`${css.popup} ${className ?? ''}`}
        onToggle={({ newState }) => onToggle?.(newState === 'open')}
      >
        {children(hide)}
      </div>
    </div>
  );
}

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
