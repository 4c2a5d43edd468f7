import { type ReactNode, useEffect, useRef } from 'react';
import { menuHide } from '../../browser/constants.ts';
import css from './menu.module.css';
import { Tooltip } from './tooltip.tsx';

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
