import { type ReactNode, useEffect, useRef } from 'react';
import { Text, useText } from '../../../browser/language/text.tsx';
import { Link } from '../../../browser/navigation/navigation.tsx';
import { usePage } from '../../../browser/navigation/page.tsx';
import { useCell } from '../../../browser/platform/cell.ts';
import { knownAccount } from '../../../browser/requests/known-account.ts';
import type { MessageId } from '../../../messages/ids.ts';
import { initialsOf } from '../../initials.ts';
import { LanguageMenu } from '../../menus/language-menu.tsx';
import { ThemeMenu } from '../../menus/theme-menu.tsx';
import { VisuallyHidden } from '../../visually-hidden.tsx';
import { Bars, Cross, Leave, Lines, Overview, Person, Plus, Screen } from './side-icons.tsx';
import css from './side-menu.module.css';

/** The places of the navigation. A page below one of them, such as that of one device, marks it as current. */
const places = [
  { to: '/dashboard/', label: 'dashboard.page', icon: <Overview /> },
  { to: '/devices/', label: 'devices.page', icon: <Screen /> },
  { to: '/records/', label: 'records.page', icon: <Lines /> },
  { to: '/computers/add/', label: 'computers_add.page', icon: <Plus /> },
  { to: '/account/', label: 'account.page', icon: <Person /> },
] as const satisfies readonly { to: string; label: MessageId; icon: ReactNode }[];

const panelId = 'side-menu';
/** The width from which the panel is beside the page, as in `account-layout.module.css`. */
const wide = '(width >= 60rem)';

/** Navigation, user and menus: a panel beside the page, on narrow screens behind a button. */
export function SideMenu({ leaving, signOut }: { leaving: boolean; signOut: () => void }) {
  const t = useText();
  const { path } = usePage();
  const panel = useRef<HTMLDivElement>(null);
  const hide = () => panel.current?.matches(':popover-open') && panel.current.hidePopover();
  // A wider window shows the panel beside the page.
  useEffect(() => {
    const query = matchMedia(wide);
    const close = () => panel.current?.matches(':popover-open') && panel.current.hidePopover();
    query.addEventListener('change', close);
    return () => query.removeEventListener('change', close);
  }, []);
  const mark = (to: string) => {
    if (path === to) return 'page';
    return path.startsWith(to) ? 'true' : undefined;
  };
  return (
    <>
      <button type="button" className={css.opener} popoverTarget={panelId}>
        <Bars />
        <Text id="account_frame.open" />
      </button>
      <div id={panelId} ref={panel} popover="auto" className={css.panel}>
        <nav className={css.places} aria-label={t('account_frame.menu')}>
          {places.map(({ to, label, icon }) => (
            <Link key={to} to={to} className={css.item} aria-current={mark(to)} onClick={hide}>
              {icon}
              <Text id={label} />
            </Link>
          ))}
        </nav>
        <div className={css.end}>
          <div className={css.menus}>
            <LanguageMenu />
            <ThemeMenu />
          </div>
          <button type="button" className={`${css.item} ${css.leave}`} aria-busy={leaving} onClick={signOut}>
            <Leave />
            <Text id="account_frame.sign_out" />
          </button>
          <User />
        </div>
        <button type="button" className={css.closer} popoverTarget={panelId}>
          <Cross />
          <VisuallyHidden>
            <Text id="account_frame.open" />
          </VisuallyHidden>
        </button>
      </div>
    </>
  );
}

/** The signed-in user; keeps its height while the account is being read. */
function User() {
  const account = useCell(knownAccount, () => undefined);
  return (
    <div className={css.user}>
      <span className={css.initials} aria-hidden="true">
        {account && initialsOf(account.name || account.email)}
      </span>
      <span className={css.who}>
        <bdi className={css.name}>{account?.name}</bdi>
        <bdi className={css.email} dir="ltr">
          {account?.email}
        </bdi>
      </span>
    </div>
  );
}
