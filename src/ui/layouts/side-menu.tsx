import { type ReactNode, useEffect, useRef } from 'react';
import { Text, useText } from '../../browser/language/text.tsx';
import { Link } from '../../browser/navigation/navigation.tsx';
import { usePage } from '../../browser/navigation/page.tsx';
import { useCell } from '../../browser/platform/storage.ts';
import { knownAccount } from '../../browser/requests/known-account.ts';
import type { MessageId } from '../../messages/ids.ts';
import { icon } from '../icons.tsx';
import { initialsOf } from '../initials.ts';
import { LanguageMenu, ThemeMenu } from '../menus/frame-menus.tsx';
import { VisuallyHidden } from '../text-on-page.tsx';
import css from './side-menu.module.css';

const Overview = icon(
  <>
    <rect x="2.5" y="2.5" width="6" height="8" rx="1.5" />
    <rect x="11.5" y="2.5" width="6" height="4.5" rx="1.5" />
    <rect x="2.5" y="13.5" width="6" height="4" rx="1.5" />
    <rect x="11.5" y="10" width="6" height="7.5" rx="1.5" />
  </>,
);

const Plus = icon(
  <>
    <circle cx="10" cy="10" r="7.7" />
    <path d="M10 6.5v7M6.5 10h7" />
  </>,
);

const Person = icon(
  <>
    <circle cx="10" cy="6.5" r="3.7" />
    <path d="M2.8 17.2c.9-3.4 3.7-5 7.2-5s6.3 1.6 7.2 5" />
  </>,
);

/** Points to the end of the line: turn it in languages that run from right to left. */
const Leave = icon(
  <path d="M8 2.8H4.3c-.8 0-1.5.7-1.5 1.5v11.4c0 .8.7 1.5 1.5 1.5H8M8 10h9.2M13.4 6.2L17.2 10l-3.8 3.8" />,
);

const Cross = icon(<path d="M5 5l10 10M15 5L5 15" />);

const Bars = icon(<path d="M3 5.5h14M3 10h14M3 14.5h14" />);

const Screen = icon(
  <>
    <rect x="2.3" y="3.3" width="15.4" height="10.4" rx="1.8" />
    <path d="M10 13.7v3M6.5 16.7h7" />
  </>,
);

const Lines = icon(<path d="M3 5h2M8 5h9M3 10h2M8 10h9M3 15h2M8 15h9" />);

const Bell = icon(
  <path d="M4 14.5h12c-1.2-1.4-1.7-2.6-1.7-5a4.3 4.3 0 0 0-8.6 0c0 2.4-.5 3.6-1.7 5zM8.3 17.3c.9.7 2.5.7 3.4 0M10 3v2" />,
);

const Siren = icon(
  <path d="M5.5 15v-4.2a4.5 4.5 0 0 1 9 0V15M3.5 17.5v-2.5h13v2.5zM10 2v1.7M3.4 4.4l1.2 1.2M16.6 4.4l-1.2 1.2" />,
);

/** A place of the navigation. A page below it, such as that of one device, marks it as current. */
export interface MenuPlace {
  readonly to: string;
  /** Where the pages below it are; default: `to`. */
  readonly below?: string;
  readonly label: MessageId;
  readonly icon: ReactNode;
  readonly ofDevices?: true;
  readonly counts?: true;
}

const placesOfAccount: readonly MenuPlace[] = [
  { to: '/dashboard/', label: 'dashboard.page', icon: <Overview />, ofDevices: true },
  { to: '/devices/', label: 'devices.page', icon: <Screen />, ofDevices: true },
  { to: '/records/', label: 'records.page', icon: <Lines />, ofDevices: true },
  { to: '/alarms/', label: 'account_alarms.page', icon: <Siren />, ofDevices: true },
  { to: '/notifications/', label: 'notifications.page', icon: <Bell />, ofDevices: true, counts: true },
  { to: '/computers/add/', label: 'computers_add.page', icon: <Plus />, ofDevices: true },
  { to: '/account/', label: 'account.page', icon: <Person /> },
];

const panelId = 'side-menu';
/** The width from which the panel is beside the page, as in `account-layout.module.css`. */
const wide = '(width >= 60rem)';

interface SideMenuProps {
  /** Of the navigation, for screen readers; default: the account. */
  name?: MessageId | undefined;
  /** Default: those of an account. */
  places?: readonly MenuPlace[] | undefined;
  /** Above the places. */
  heading?: ReactNode;
  leaving: boolean;
  signOut: () => void;
}

/** Navigation, user and menus: a panel beside the page, on narrow screens behind a button. */
export function SideMenu({
  name = 'account_frame.menu',
  places = placesOfAccount,
  heading,
  leaving,
  signOut,
}: SideMenuProps) {
  const t = useText();
  const { path, settings } = usePage();
  const shown = places.filter(({ ofDevices }) => settings.devices || !ofDevices);
  const panel = useRef<HTMLDivElement>(null);
  const hide = () => panel.current?.matches(':popover-open') && panel.current.hidePopover();
  // A wider window shows the panel beside the page.
  useEffect(() => {
    const query = matchMedia(wide);
    const close = () => panel.current?.matches(':popover-open') && panel.current.hidePopover();
    query.addEventListener('change', close);
    return () => query.removeEventListener('change', close);
  }, []);
  const mark = (to: string, below = to) => {
    if (path === to) return 'page';
    return path.startsWith(below) ? 'true' : undefined;
  };
  return (
    <>
      <button type="button" className={css.opener} popoverTarget={panelId}>
        <Bars />
        <Text id="account_frame.open" />
        <Unread />
      </button>
      <div id={panelId} ref={panel} popover="auto" className={css.panel}>
        {heading}
        <nav className={css.places} aria-label={t(name)}>
          {shown.map(({ to, below, label, icon, counts }) => (
            <Link key={to} to={to} className={css.item} aria-current={mark(to, below)} onClick={hide}>
              {icon}
              <Text id={label} />
              {counts && <Unread />}
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

/** More are not counted. */
const most = 99;

/** The number of unread notifications. */
function Unread() {
  const { unread_notifications: count = 0 } = useCell(knownAccount, () => undefined) ?? {};
  if (count === 0) return null;
  return (
    <span className={css.unread}>
      <span aria-hidden="true">{count > most ? `${most}+` : count}</span>
      <VisuallyHidden>
        <Text id="dashboard.unread" values={{ count }} />
      </VisuallyHidden>
    </span>
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
