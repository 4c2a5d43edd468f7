import { Text } from '../../browser/language/text.tsx';
import { Link } from '../../browser/navigation/navigation.tsx';
import { usePage } from '../../browser/navigation/page.tsx';
import { Chevron } from '../icons.tsx';
import css from './account-menu.module.css';
import { Menu } from './menu.tsx';

/** Links to the parts of the account page. */
export function AccountMenu() {
  const current = usePage().path === '/account/';
  const button = (
    <span className={current ? `${css.name} ${css.current}` : css.name}>
      <Text id="account.page" />
      <Chevron />
    </span>
  );
  return (
    <Menu id="account-menu" button={button} className={css.items}>
      {(hide) => (
        <>
          <Link to="/account/" onClick={hide} aria-current={current ? 'page' : undefined}>
            <Text id="account.details" />
          </Link>
          <Link to="/account/#change-password" onClick={hide}>
            <Text id="account.change_password" />
          </Link>
          <Link to="/account/#sessions" onClick={hide}>
            <Text id="account.sessions" />
          </Link>
        </>
      )}
    </Menu>
  );
}
