import { useEffect, useState } from 'react';
import { days } from '../../contract/units.ts';
import { readCookie, writeCookie } from './storage.ts';
import { after } from './timers.ts';

/** `early.ts` also reads it. */
const themeCookie = 'theme';

export type Theme = 'system' | 'light' | 'dark';

const lifetime = days(365);

const kept = (): Theme => {
  const value = readCookie(themeCookie);
  return value === 'light' || value === 'dark' ? value : 'system';
};

/** The chosen theme and a setter. `early.ts` applies the theme before the first paint. */
export function useTheme(): { theme: Theme; choose: (theme: Theme) => void } {
  const [theme, setTheme] = useState<Theme>('system');
  useEffect(() => setTheme(kept()), []);
  const show = (next: Theme) => {
    setTheme(next);
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
