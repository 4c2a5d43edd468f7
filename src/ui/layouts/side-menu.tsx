import { type ReactNode, useEffect, useRef } from 'react';
import { Text, useText } from '../../browser/language/text.tsx';
import { Link } from '../../browser/navigation/navigation.tsx';
import { usePage } from '../../browser/navigation/page.tsx';
import { useCell } from '../../browser/platform/storage.ts';
import { knownAccount } from '../../browser/requests/session.ts';
import type { MessageId } from '../../messages/ids.ts';
import { icon } from '../icons.tsx';
import { LanguageMenu, ThemeMenu } from '../menus/frame-menus.tsx';
import { paletteOpen, useShortcut } from '../palette/palette-host.tsx';
import { SignedInUser } from '../signed-in-user.tsx';
import { VisuallyHidden } from '../visually-hidden.tsx';
import { Leave, Magnifier, type MenuPlace, placesOfAccount } from './places.tsx';
import css from './side-menu.module.css';

const Cross = icon(<path d="M5 5l10 10M15 5L5 15" />);

const Bars = icon(<path d="M3 5.5h14M3 10h14M3 14.5h14" />);

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
  const account = useCell(knownAccount, () => undefined);
  const shown = places.filter(({ ofDevices }) => settings.devices || !ofDevices);
  const panel = useRef<HTMLDivElement>(null);
  const hide = () => void (panel.current?.matches(':popover-open') && panel.current.hidePopover());
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
        <Count of="open_incidents" />
        <Count of="unread_notifications" />
      </button>
      <div id={panelId} ref={panel} popover="auto" className={css.panel}>
        {heading}
        {places === placesOfAccount && <PaletteOpener hide={hide} />}
        <nav className={css.places} aria-label={t(name)}>
          {shown.map(({ to, below, label, icon, counts }) => (
            <Link key={to} to={to} className={css.item} aria-current={mark(to, below)} onClick={hide}>
              {icon}
              <Text id={label} />
              {counts && <Count of={counts} />}
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
          <div className={css.user}>
            <SignedInUser account={account} />
          </div>
        </div>
        <button type="button" className={css.closer} popoverTarget={panelId}>
          <Cross />
          <VisuallyHidden text="account_frame.open" />
        </button>
      </div>
    </>
  );
}

/** Opens the palette; hides the menu first, so that the focus can return to its button. */
function PaletteOpener({ hide }: { hide: () => void }) {
  const open = () => {
    hide();
    paletteOpen.write(true);
  };
  return (
    <button type="button" className={`${css.item} ${css.find}`} aria-keyshortcuts="Control+K Meta+K" onClick={open}>
      <Magnifier />
      <Text id="label.search" />
      <span className={css.keys} aria-hidden="true">
        {useShortcut()}
      </span>
    </button>
  );
}

/** More are not counted. */
const most = 99;

const countWords = { open_incidents: 'incidents.count_open', unread_notifications: 'dashboard.unread' } as const;

/** The number of open alarms or unread notifications. */
function Count({ of }: { of: keyof typeof countWords }) {
  const { [of]: count = 0 } = useCell(knownAccount, () => undefined) ?? {};
  if (count === 0) return null;
  return (
    <span className={of === 'open_incidents' ? css.count : `${css.count} ${css.calm}`}>
      <span aria-hidden="true">{count > most ? `${most}+` : count}</span>
      <VisuallyHidden>
        <Text id={countWords[of]} values={{ count }} />
      </VisuallyHidden>
    </span>
  );
}
