import { Text } from '../../browser/language/text.tsx';
import { keepEmail } from '../../browser/navigation/kept-query.ts';
import { Link } from '../../browser/navigation/navigation.tsx';
import css from './words.module.css';

/** Explains the steps in the side panel. */
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

/** The same in one line, for layouts without a panel. */
export const ShortWord = () => (
  <p className={css.short}>
    <Text id="register.side_text" />
  </p>
);

/** Links for an address that already has an account; the target forms start with the address. */
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
