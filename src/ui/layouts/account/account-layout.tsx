import type { ReactNode } from 'react';
import { Text } from '../../../browser/language/text.tsx';
import { useGo } from '../../../browser/navigation/navigation.tsx';
import { usePage } from '../../../browser/navigation/page.tsx';
import { useLastPlace } from '../../../browser/navigation/remember-place.ts';
import { useRequest } from '../../../browser/requests/request-status.ts';
import { useSessionEnd } from '../../../browser/requests/session-end.ts';
import { endSession } from '../../../browser/requests/session-requests.ts';
import { Failed } from '../../feedback/notice.tsx';
import { Overdue } from '../../feedback/overdue.tsx';
import { StepUpHost } from '../../step-up/step-up-host.tsx';
import { Frame } from '../frame.tsx';
import { Title } from '../title.tsx';
import { AccountCreated } from './account-created.tsx';
import css from './account-layout.module.css';
import { SideMenu } from './side-menu.tsx';

/** The layout for signed-in users: the side menu, and one column of cards. */
export function AccountLayout({ children }: { children: ReactNode }) {
  const go = useGo();
  const { settings } = usePage();
  const leaving = useRequest(async () => {
    await endSession();
    go('/');
  });
  useLastPlace();
  const over = useSessionEnd();
  return (
    <Frame
      className={css.ground}
      bar={<SideMenu leaving={leaving.state === 'pending'} signOut={() => void leaving.start()} />}
      signature={<p translate="no">{settings.productName}</p>}
    >
      <div className={css.column}>
        <AccountCreated />
        <Overdue waiting={leaving.state === 'pending'} retry={leaving.restart} />
        <Failed failure={leaving.error} />
        {over ? (
          <Title>
            <Text id="failure.session_ended" />
          </Title>
        ) : (
          children
        )}
      </div>
      <StepUpHost />
    </Frame>
  );
}
