import { type ComponentType, useEffect, useState, useSyncExternalStore } from 'react';
import { cell, useCell } from '../../browser/platform/storage.ts';
import type { PaletteProps } from './palette.tsx';

/** Whether the palette is open; the menu opens it as well. */
export const paletteOpen = cell(false);

/** In text fields of macOS, Control and K delete the rest of the line. */
const isApple = () => /Mac|iP(?:ad|hone|od)/.test(navigator.platform);

const never = () => () => undefined;

/** The keys, once the page knows its system. */
export const useShortcut = (): string =>
  useSyncExternalStore(
    never,
    () => (isApple() ? '⌘ K' : 'Ctrl K'),
    () => '',
  );

/** Opens a palette of pages, devices and commands on Ctrl or ⌘ with K. Its code loads on first use. */
export function PaletteHost({ signOut }: Pick<PaletteProps, 'signOut'>) {
  const isOpen = useCell(paletteOpen, () => false);
  const [Palette, setPalette] = useState<ComponentType<PaletteProps>>();
  useEffect(() => {
    const follow = (event: KeyboardEvent) => {
      // Keyboards of other scripts have another letter there.
      const isK = event.key === 'k' || (event.code === 'KeyK' && !/^[a-z]$/i.test(event.key));
      if (!isK || !(isApple() ? event.metaKey : event.ctrlKey) || event.altKey || event.shiftKey) return;
      event.preventDefault();
      // Another dialog has a question that must be answered first.
      if (!document.querySelector('dialog[open]')) paletteOpen.write(true);
    };
    addEventListener('keydown', follow);
    return () => {
      removeEventListener('keydown', follow);
      paletteOpen.write(false);
    };
  }, []);
  useEffect(() => {
    const load = async () => {
      const { Palette: loaded } = await import('./palette.tsx');
      setPalette(() => loaded);
    };
    if (isOpen) load().catch(() => paletteOpen.write(false));
  }, [isOpen]);
  return isOpen && Palette ? <Palette close={() => paletteOpen.write(false)} signOut={signOut} /> : null;
}
