import type { ReactNode } from 'react';
import { Text, useText } from '../../browser/language/text.tsx';
import { Link, useGo } from '../../browser/navigation/navigation.tsx';
import { usePage } from '../../browser/navigation/page.tsx';
import { useLastPlace } from '../../browser/navigation/remember-place.ts';
import { useRequest } from '../../browser/requests/request-status.ts';
import { useSessionEnd } from '../../browser/requests/session-end.ts';
import { Notice } from '../feedback/notice.tsx';
import { Overdue } from '../feedback/unanswered.tsx';
import { AccountMenu } from '../menus/account-menu.tsx';
import { AccountCreated } from './account-created.tsx';
import css from './account-layout.module.css';
import { Frame } from './frame.tsx';
import { Title } from './title.tsx';

/** The layout for signed-in users: one column of cards, and a sign-out button in the header. */
export function AccountLayout({ children }: { children: ReactNode }) {
  const t = useText();
  const go = useGo();
  const { path, settings } = usePage();
  const leaving = useRequest(async () => {
    const { endSession } = await import('../../browser/requests/session-requests.ts');
    await endSession();
    go('/');
  });
  useLastPlace();
  const over = useSessionEnd();
  return (
    <Frame
      className={css.ground}
      navigation={
        <nav className={css.navigation} aria-label={t('account_frame.menu')}>
          <Link to="/dashboard/" className={css.item} aria-current={path === '/dashboard/' ? 'page' : undefined}>
            <Text id="dashboard.page" />
          </Link>
          <Link
            to="/computers/add/"
            className={css.item}
            aria-current={path === '/computers/add/' ? 'page' : undefined}
          >
            <Text id="computers_add.page" />
          </Link>
          <AccountMenu />
        </nav>
      }
      leave={
        <button
          type="button"
          className={`${css.item} ${css.leave}`}
          aria-busy={leaving.state === 'pending'}
          onClick={() => void leaving.start()}
        >
          <Text id="account_frame.sign_out" />
        </button>
      }
      signature={<p translate="no">{settings.productName}</p>}
    >
      <div className={css.column}>
        <AccountCreated />
        <Overdue waiting={leaving.state === 'pending'} retry={leaving.restart} />
        {leaving.error && (
          <Notice kind="danger" role="alert">
            <Text {...leaving.error.text} />
          </Notice>
        )}
        {over ? (
          <Title>
            <Text id="failure.session_ended" />
          </Title>
        ) : (
          children
        )}
      </div>
    </Frame>
  );
}
