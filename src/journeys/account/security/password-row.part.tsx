import { Text } from '../../../browser/language/text.tsx';
import { TextButton } from '../../../ui/text-button.tsx';
import { RemovePassword } from '../../passkeys/manage/remove-password.part.tsx';
import { SetPassword } from '../../recover-password/set-password.part.tsx';
import { FormRow, type useForms } from '../layout/form-row.part.tsx';
import { Remark, Row } from '../layout/row.part.tsx';
import type { Account } from '../layout/section.part.tsx';
import { useTimes } from '../lines.part.tsx';
import { ChangePassword } from '../password/password.part.tsx';
import { provesFirst, type SecurityState } from '../second-step/use-security.part.ts';

/** The least passkeys of an account without a password: losing one device then does not lock the owner out. */
const passkeysWithoutPassword = 2;

interface PasswordRowProps {
  account: Account;
  /** Undefined until it is read. */
  security: SecurityState | undefined;
  forms: ReturnType<typeof useForms<'email' | 'phone' | 'password' | 'no_password'>>;
}

/** The password, with the form that changes it; owners with two passkeys can remove it. */
export function PasswordRow({ account, security, forms: { shown, open, form } }: PasswordRowProps) {
  const { when } = useTimes();
  const { email, password_changed_at: at } = account;
  if (security?.password === false)
    return (
      <Row id="change-password" label="label.password">
        <Remark>
          <Text id="security.no_password" />
        </Remark>
        <SetPassword email={email} />
      </Row>
    );
  const removes = shown?.name === 'no_password';
  const { state, set } = form(removes ? 'no_password' : 'password');
  return (
    <FormRow
      state={state}
      set={(next) => (next === 'open' ? open('password') : set(next))}
      id="change-password"
      label="label.password"
      button="account.change_password"
      said={removes ? 'security.password_removed' : 'account.password_changed'}
      value={
        <>
          {at && (
            <Remark>
              <Text id="account.password_set" dir="auto" values={{ when: when(at) }} />
            </Remark>
          )}
          {(security?.passkeys ?? 0) >= passkeysWithoutPassword && (
            <TextButton danger onClick={() => open('no_password')}>
              <Text id="security.password_remove" />
            </TextButton>
          )}
        </>
      }
    >
      {(done, cancel) =>
        removes ? (
          <RemovePassword done={done} cancel={cancel} />
        ) : (
          <ChangePassword owner={account} provesFirst={provesFirst(security)} done={done} cancel={cancel} />
        )
      }
    </FormRow>
  );
}
