import { LanguageLink } from '../../browser/language/language.tsx';
import { useText } from '../../browser/language/text.tsx';
import { usePage } from '../../browser/navigation/page.tsx';
import { languageOf, languages } from '../../contract/languages.ts';
import { Globe } from '../icons.tsx';
import { VisuallyHidden } from '../visually-hidden.tsx';
import css from './language-menu.module.css';
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
