import { Text, useText } from '../../browser/language/text.tsx';
import { useTheme } from '../../browser/platform/theme.ts';
import { HalfMoon } from '../icons.tsx';
import frame from '../layouts/frame.module.css';
import menu from './menu.module.css';
import { Menu } from './menu.tsx';

const themes = ['system', 'light', 'dark'] as const;

/** Light, dark, or as the device has it. */
export function ThemeMenu() {
  const name = useText()('frame.theme');
  const { theme, choose } = useTheme();
  const button = (
    <>
      <HalfMoon />
      <span className={frame.unseen}>{name}</span>
    </>
  );
  return (
    <Menu id="themes" button={button} tip={name}>
      {(hide) =>
        themes.map((offered) => (
          <button
            key={offered}
            type="button"
            className={menu.item}
            aria-pressed={offered === theme}
            onClick={() => {
              choose(offered);
              hide();
            }}
          >
            <Text id={`frame.theme_${offered}`} />
          </button>
        ))
      }
    </Menu>
  );
}
