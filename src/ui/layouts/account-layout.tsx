import { type ComponentProps, type ReactNode, useEffect, useState } from 'react';
import { Paragraph, Text } from '../../browser/language/text.tsx';
import { focusHeading } from '../../browser/navigation/history.ts';
import { Link, useGo, useProgress } from '../../browser/navigation/navigation.tsx';
import { usePage } from '../../browser/navigation/page.tsx';
import { tabStorage } from '../../browser/platform/storage.ts';
import { type RequestFailure, useOverdue, useRequest } from '../../browser/requests/request-status.ts';
import { sendRequest } from '../../browser/requests/send-request.ts';
import { endSession, useSessionEnd } from '../../browser/requests/session-requests.ts';
import type { readAccount } from '../../contract/account.ts';
import type { ResponseBody } from '../../contract/endpoint.ts';
import { pathIn } from '../../contract/languages.ts';
import { rememberLastPlace } from '../../contract/last-place.ts';
import { minutes } from '../../contract/units.ts';
import { Button } from '../button.tsx';
import { Failed, Notice, Overdue, RetryNotice } from '../feedback/feedback.tsx';
import { PaletteHost } from '../palette/palette-host.tsx';
import { StepUpHost } from '../step-up-host.tsx';
import css from './account-layout.module.css';
import { Card, Title } from './card.tsx';
import { Frame } from './frame.tsx';
import { SideMenu } from './side-menu.tsx';

interface SignedInLayoutProps {
  /** Lists of many things use the whole width of a large screen. */
  readonly wide?: boolean | undefined;
  readonly children: ReactNode;
}

/** The layout for signed-in users: the side menu, and one column of cards. */
export function AccountLayout({ wide, children }: SignedInLayoutProps) {
  useLastPlace();
  return (
    <SignedInLayout wide={wide}>
      <AccountCreated />
      {children}
    </SignedInLayout>
  );
}

interface MenuProps extends Pick<ComponentProps<typeof SideMenu>, 'name' | 'places' | 'heading'> {
  /** Where the logo leads. */
  readonly home?: string;
}

/** The same for other places of the menu. */
export function SignedInLayout({ wide = false, children, home, ...menu }: SignedInLayoutProps & MenuProps) {
  const go = useGo();
  const { settings } = usePage();
  const leaving = useRequest(async () => {
    await endSession();
    go('/');
  });
  const signOut = () => void leaving.start();
  const over = useSessionEnd();
  return (
    <Frame
      className={`${css.ground} ${wide ? css.wide : ''} ${menu.places ? css.fitted : ''}`}
      home={home}
      bar={<SideMenu {...menu} leaving={leaving.state === 'pending'} signOut={signOut} />}
      signature={<p translate="no">{settings.productName}</p>}
    >
      <div className={css.column}>
        <Overdue waiting={leaving.state === 'pending'} retry={leaving.restart} />
        <Failed failure={leaving.error} />
        {over ? <Title text="failure.session_ended" /> : children}
      </div>
      <StepUpHost />
      {menu.places === undefined && <PaletteHost signOut={signOut} />}
    </Frame>
  );
}

type Account = Pick<ResponseBody<typeof readAccount>, 'email' | 'email_unreachable'>;

/**
 * Notices above the pages of an account: a sign-in canceled its deletion, or our emails bounce, which the owner should
 * know before they need one to reset their password.
 */
export const AccountBanners = ({ account }: { readonly account: Account }) => (
  <>
    <AccountKept />
    {account.email_unreachable && <Unreachable email={account.email} />}
  </>
);

function Unreachable({ email }: { email: string }) {
  return (
    <Notice kind="danger">
      <Paragraph
        id="account.unreachable"
        values={{ email }}
        tags={{ change: <Link to="/account/security/#change-email" /> }}
      />
    </Notice>
  );
}

/** The last place of a new account may be outside of our pages; a visit after this time reports nothing. */
const reportedWithin = minutes(1);

/** Reports a registration once, on the page where the user arrives. */
export function AccountCreated() {
  const [isNew, setNew] = useState(false);
  useEffect(() => {
    const at = Number(tabStorage.read('registered_at') ?? 0);
    tabStorage.write('registered_at', undefined);
    setNew(Date.now() - at < reportedWithin);
  }, []);
  if (!isNew) return null;
  return <Notice kind="success" role="status" text="register.success" />;
}

/** Reports on the first page after a sign-in that it canceled the deletion of the account. */
function AccountKept() {
  const [isKept] = useState(() => tabStorage.read('deletion_canceled') !== undefined);
  useEffect(() => tabStorage.write('deletion_canceled', undefined), []);
  if (!isKept) return null;
  return <Notice kind="success" role="status" text="account.kept" />;
}

/** Replaces an account's content while it is loading or if it failed to load. */
export function AccountUnread({ failure, retry }: { failure: RequestFailure | undefined; retry: () => void }) {
  const isOverdue = useOverdue(!failure);
  // While the session is still being checked, the frame reports the wait.
  const { slow: isReported } = useProgress();
  if (!failure) {
    return (
      <>
        <div className={css.ghost} aria-hidden="true">
          <span />
          <span />
          <span />
        </div>
        <p role="status" className={css.later}>
          {!isReported && <Text id="frame.loading" />}
        </p>
        {isOverdue && !isReported && <RetryNotice message="frame.overdue" retry={retry} />}
      </>
    );
  }
  function tryAgain(): void {
    // The button disappears with the failure.
    focusHeading();
    retry();
  }
  return (
    <Card>
      <Failed failure={failure} />
      <Button label="error_page.retry" narrow onClick={tryAgain} />
    </Card>
  );
}

/** Stores the current page as the account's last place. A failure costs only convenience. */
function useLastPlace(): void {
  const { language, name, path } = usePage();
  const place = pathIn(language, path);
  const { restart } = useRequest(async (signal) => {
    await sendRequest(rememberLastPlace, { body: { place }, signal });
  });
  // Before hydration, the address is that of the pre-rendered page, which may have a parameter.
  // biome-ignore lint/correctness/useExhaustiveDependencies: stores each place once
  useEffect(() => (path.includes('/:') || name === 'not-found' ? undefined : restart()), [place]);
}
