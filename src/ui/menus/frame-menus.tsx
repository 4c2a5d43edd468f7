import { LanguageLink } from '../../browser/language/language.tsx';
import { Text, useText } from '../../browser/language/text.tsx';
import { usePage } from '../../browser/navigation/page.tsx';
import { type Theme, themes, useTheme } from '../../browser/platform/theme.ts';
import { languageOf, languages } from '../../contract/languages.ts';
import type { MessageId } from '../../messages/ids.ts';
import { Globe, HalfMoon } from '../icons.tsx';
import { VisuallyHidden } from '../visually-hidden.tsx';
import css from './frame-menus.module.css';
import { Menu } from './menu.tsx';

/** Links to the same page in every language, each by its own name. */
export function LanguageMenu() {
  const name = useText()('frame.language');
  const { language } = usePage();
  const button = (
    <>
      <Globe />
      <VisuallyHidden>{name}</VisuallyHidden>
      <span className={css.current}>{languageOf(language).name}</span>
    </>
  );
  return (
    <Menu id="languages" button={button} tip={name}>
      {(hide) => (
        <ul className={css.list}>
          {languages.map((offered) => (
            <li key={offered.code}>
              <LanguageLink language={offered} onClick={hide} />
            </li>
          ))}
        </ul>
      )}
    </Menu>
  );
}

export const themeWords = {
  system: 'frame.theme_system',
  light: 'frame.theme_light',
  dark: 'frame.theme_dark',
} as const satisfies Record<Theme, MessageId>;

/** Light, dark, or the system's theme. */
export function ThemeMenu() {
  const name = useText()('frame.theme');
  const { theme, choose } = useTheme();
  const button = (
    <>
      <HalfMoon />
      <VisuallyHidden>{name}</VisuallyHidden>
    </>
  );
  return (
    <Menu id="themes" button={button} tip={name}>
      {(hide) =>
        themes.map((offered) => (
          <button
            key={offered}
            type="button"
            aria-pressed={offered === theme}
            onClick={() => {
              choose(offered);
              hide();
            }}
          >
            <Text id={themeWords[offered]} />
          </button>
        ))
      }
    </Menu>
  );
}
