import { Text } from '../../browser/language/text.tsx';
import { Link } from '../../browser/navigation/navigation.tsx';
import css from './words.module.css';

/** In the panel: what comes first, what comes later. */
export const Beside = () => (
  <>
    <h2>
      <Text id="register.side_title" />
    </h2>
    <p className={css.text}>
      <Text id="register.side_text" />
    </p>
  </>
);

/** The same in one line, where there is no panel. */
export const ShortWord = () => (
  <p className={css.short}>
    <Text id="register.side_text" />
  </p>
);

/** What to do when the address has an account already. */
export const ExistsHelp = () => (
  <p>
    <Text id="register.exists_help" tags={{ signin: <Link to="/" />, reset: <Link to="/recovery/" /> }} />
  </p>
);
