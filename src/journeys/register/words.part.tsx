import { Text } from '../../browser/language/text.tsx';
import { keepEmail } from '../../browser/navigation/kept-query.ts';
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

/** What to do when the address has an account already: it is typed where that leads. */
export function ExistsHelp({ email }: { email: string }) {
  const keep = () => keepEmail(email.trim());
  return (
    <p>
      <Text
        id="register.exists_help"
        tags={{ signin: <Link to="/" onClick={keep} />, reset: <Link to="/recovery/" onClick={keep} /> }}
      />
    </p>
  );
}
