import type { ReactNode } from 'react';
import { Text } from '../../browser/language/text.tsx';
import { useTimes } from '../../browser/language/times.ts';
import { Link } from '../../browser/navigation/navigation.tsx';
import { usePage } from '../../browser/navigation/page.tsx';
import type { MessageId } from '../../messages/ids.ts';
import { Card, Heading, Line, Lines } from '../../ui/layouts/card.tsx';
import { Standing } from './layout/rows.part.tsx';
import type { Account } from './layout/section.part.tsx';
import { fewCodes, type SecurityState, useSecurity } from './second-step/second-step-rows.part.tsx';

/** What protects the account at a glance, with the next step where something is missing. */
export function CheckUp({ account }: { account: Account }) {
  const { security } = useSecurity();
  const { passkeys, secondStep, phoneConfirmation } = usePage().settings;
  const { email_confirmed: isRead, phone_confirmed: isPhone } = account;
  return (
    <Card>
      <Heading text="check_up.title" />
      <Lines>
        {(passkeys || secondStep) && (
          <Check label="check_up.factor">{security && <Factor security={security} canAdd={secondStep} />}</Check>
        )}
        <Check label="label.email">
          {/* The banner above has its next step. */}
          <Standing good={isRead} label={isRead ? 'account.confirmed' : 'account.unconfirmed'} />
        </Check>
        {phoneConfirmation !== 'off' && (
          <Check label="label.phone">
            <Standing good={isPhone} label={isPhone ? 'account.confirmed' : 'account.unconfirmed'} />
            {!isPhone && <Link to="/account/security/" text="account.change_phone" />}
          </Check>
        )}
        {security?.authenticator && <RecoveryCodes security={security} />}
      </Lines>
    </Card>
  );
}

const Check = ({ label, children }: { label: MessageId; children: ReactNode }) => <Line end={children} text={label} />;

function Factor({ security: { authenticator, passkeys }, canAdd }: { security: SecurityState; canAdd: boolean }) {
  const isOn = authenticator || passkeys > 0;
  return (
    <>
      <Standing good={isOn} label={isOn ? 'security.on' : 'security.off'} />
      {!isOn && canAdd && <Link to="/account/security/#authenticator" text="security.authenticator_add" />}
    </>
  );
}

/** Those of an authenticator app: how many are left, and of when. */
function RecoveryCodes({ security }: { security: SecurityState }) {
  const { day } = useTimes();
  const { recovery_codes_left: left, recovery_codes_made_at: madeAt } = security;
  return (
    <Check label="security.recovery_codes">
      {left <= fewCodes ? (
        <>
          <Standing good={false} label="security.recovery_few" />
          <Link to="/account/security/#authenticator" text="security.recovery_renew" />
        </>
      ) : (
        <span>
          <Text id="security.recovery_left" values={{ count: left }} />
          {madeAt !== null && (
            <>
              {' · '}
              <Text id="security.recovery_made" values={{ when: day(madeAt) }} dir="auto" />
            </>
          )}
        </span>
      )}
    </Check>
  );
}
