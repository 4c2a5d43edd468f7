import { type ReactNode, useEffect, useRef } from 'react';
import { menuHide } from '../../browser/constants.ts';
import css from './menu.module.css';
import { Tooltip } from './tooltip.tsx';

interface MenuProps {
  id: string;
  /** What the button shows; it must have a name in words. */
  button: ReactNode;
  /** The same name, for a button that shows only a picture. */
  tip?: string;
  className?: string | undefined;
  onToggle?: (open: boolean) => void;
  children: (hide: () => void) => ReactNode;
}

/**
 * A button and what it opens. The platform's popover opens on click even before the page is alive, and closes on
 * Escape or a click elsewhere; here it also closes when the focus leaves, and some time after the mouse did.
 */
export function Menu({ id, button, tip, className, onToggle, children }: MenuProps) {
  const popup = useRef<HTMLDivElement>(null);
  const leaving = useRef<ReturnType<typeof setTimeout>>(undefined);
  const hide = () => popup.current?.hidePopover();
  // Whoever types in it or walks through it with the keyboard may have the mouse anywhere.
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
