import { useEffect } from 'react';
import { days } from '../../contract/units.ts';
import { cell, readCookie, useCell, writeCookie } from './storage.ts';
import { after } from './timers.ts';

/** `early.ts` also reads it. */
const themeCookie = 'theme';

/** The choices; each but the first is a value of `data-theme`, which `ui/tokens.css` colors. */
export const themes = ['system', 'light', 'dark'] as const;

export type Theme = (typeof themes)[number];

const lifetime = days(365);

const kept = (): Theme => {
  const value = readCookie(themeCookie);
  return themes.find((one) => one === value) ?? 'system';
};

/** Shared, since a menu and the palette show it. */
const chosen = cell<Theme>('system');

/** The chosen theme and a setter. `early.ts` applies the theme before the first paint. */
export function useTheme(): { theme: Theme; choose: (theme: Theme) => void } {
  const theme = useCell<Theme>(chosen, () => 'system');
  useEffect(() => chosen.write(kept()), []);
  const show = (next: Theme) => {
    chosen.write(next);
    if (next === 'system') delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = next;
  };
  const choose = (next: Theme) => {
    writeCookie(themeCookie, next, next === 'system' ? 0 : lifetime);
    show(next);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once, for a page that outlives the cookie
  useEffect(() => after(lifetime, () => show(kept())), []);
  return { theme, choose };
}
