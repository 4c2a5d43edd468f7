import { Text, useText } from '../../browser/language/text.tsx';
import { useTheme } from '../../browser/platform/theme.ts';
import { HalfMoon } from '../icons.tsx';
import { VisuallyHidden } from '../visually-hidden.tsx';
import { Menu } from './menu.tsx';

const themes = [
  ['system', 'frame.theme_system'],
  ['light', 'frame.theme_light'],
  ['dark', 'frame.theme_dark'],
] as const;

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
        themes.map(([offered, words]) => (
          <button
            key={offered}
            type="button"
            aria-pressed={offered === theme}
            onClick={() => {
              choose(offered);
              hide();
            }}
          >
            <Text id={words} />
          </button>
        ))
      }
    </Menu>
  );
}
