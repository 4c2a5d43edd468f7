import { type ReactNode, useState } from 'react';
import { Text, useText } from '../../../../browser/language/text.tsx';
import { useTimes } from '../../../../browser/language/times.ts';
import { useKeptFocus } from '../../../../browser/navigation/history.ts';
import { usePage } from '../../../../browser/navigation/page.tsx';
import { sendRequest } from '../../../../browser/requests/send-request.ts';
import type { ResponseBody } from '../../../../contract/endpoint.ts';
import { localeOf } from '../../../../contract/languages.ts';
import { keyRoles, type OperatorRole, operatorRoles } from '../../../../contract/operators.ts';
import { Button } from '../../../../ui/button.tsx';
import { SelectField } from '../../../../ui/fields/choice-fields.tsx';
import { TextField } from '../../../../ui/fields/field.tsx';
import { Sheet, SheetEmpty, SheetFoot } from '../../../../ui/layouts/card.tsx';
import { TextButton } from '../../../../ui/text-button.tsx';
import { useRead } from '../../../account/read.part.tsx';
import {
  addKey,
  changeOperator,
  inviteOperator,
  listInvitations,
  listKeys,
  listOperators,
  removeOperator,
  revokeInvitation,
  revokeKey,
} from '../../operators.contract.ts';
import { ActDialog, type FieldOf, ShownOnce } from '../layout/act-dialog.part.tsx';
import { ConsoleFailed, ConsoleUnread } from '../layout/console-failed.part.tsx';
import { ConsolePage, roleNames } from '../layout/console-page.part.tsx';
import css from './operators.module.css';

type Operator = ResponseBody<typeof listOperators>['items'][number];
type Key = ResponseBody<typeof listKeys>['items'][number];
type Invitation = ResponseBody<typeof listInvitations>['items'][number];
type Begun =
  | { readonly name: 'invite' }
  | { readonly name: 'key' }
  | { readonly name: 'change' | 'remove'; readonly operator: Operator }
  | { readonly name: 'revoke'; readonly key: Key }
  | { readonly name: 'revoke_invitation'; readonly invitation: Invitation };

/** Who may use the console, and the keys of programs. */
export default function Operators() {
  return <ConsolePage title={<Text id="console_operators.page" />}>{() => <Lists />}</ConsolePage>;
}

function Lists() {
  const { day, when } = useTimes();
  const [begun, begin] = useState<Begun>();
  const read = useRead(async (signal) => {
    const [operators, invitations, keys] = await Promise.all([
      sendRequest(listOperators, { signal }),
      sendRequest(listInvitations, { signal }),
      sendRequest(listKeys, { signal }),
    ]);
    return { operators: operators.items, invitations: invitations.items, keys: keys.items };
  });
  useKeptFocus();
  if (!read.response) return <ConsoleUnread failure={read.failure} retry={read.again} />;
  const { operators, invitations, keys } = read.response;
  return (
    <>
      <ConsoleFailed failure={read.failure} />
      <Sheet>
        <ul className={css.list}>
          {operators.map((operator) => (
            <li key={operator.id}>
              <span className={css.name}>
                <bdi>{operator.name}</bdi>
                <span className={css.detail}>
                  <bdi dir="ltr">{operator.email}</bdi>
                </span>
              </span>
              <span>
                <Text id={roleNames[operator.role]} />
                <span className={css.detail}>{day(operator.added_at)}</span>
              </span>
              <span className={css.acts}>
                <TextButton onClick={() => begin({ name: 'change', operator })} label="console_operators.change" />
                <TextButton
                  danger
                  onClick={() => begin({ name: 'remove', operator })}
                  label="console_operators.remove"
                />
              </span>
            </li>
          ))}
        </ul>
        <SheetFoot>
          <Button label="console_operators.invite" narrow quiet onClick={() => begin({ name: 'invite' })} />
        </SheetFoot>
      </Sheet>
      {invitations.length > 0 && (
        <Sheet title="console_operators.invitations">
          <ul className={css.list}>
            {invitations.map((invitation) => (
              <li key={invitation.id}>
                <span className={css.name}>
                  <bdi>{invitation.email}</bdi>
                  <span className={css.detail}>
                    <Text
                      id="console_operators.invited_by"
                      values={{ name: invitation.added_by_name ?? invitation.added_by ?? 'vestibule' }}
                      dir="auto"
                    />
                  </span>
                </span>
                <span>
                  <Text id={roleNames[invitation.role]} />
                  <span className={css.detail}>
                    <Text id="keys.until" values={{ when: when(invitation.expires_at) }} dir="auto" />
                  </span>
                </span>
                <span className={css.acts}>
                  <TextButton
                    danger
                    onClick={() => begin({ name: 'revoke_invitation', invitation })}
                    label="keys.revoke"
                  />
                </span>
              </li>
            ))}
          </ul>
        </Sheet>
      )}
      <Sheet title="console_operators.keys">
        {keys.length === 0 && <SheetEmpty id="console_timeline.none" />}
        <ul className={css.list}>
          {keys.map((key) => (
            <li key={key.id}>
              <span className={css.name}>
                <bdi>{key.name}</bdi>
                {key.addresses.length > 0 && (
                  <span className={css.detail}>
                    <bdi dir="ltr">{key.addresses.join(' ')}</bdi>
                  </span>
                )}
              </span>
              <span>
                <Text id={roleNames[key.role]} />
                <span className={css.detail}>
                  <KeyState of={key} />
                </span>
              </span>
              <span className={css.acts}>
                {key.revoked_at === null && (
                  <TextButton danger onClick={() => begin({ name: 'revoke', key })} label="keys.revoke" />
                )}
              </span>
            </li>
          ))}
        </ul>
        <SheetFoot>
          <Button label="keys.create" narrow quiet onClick={() => begin({ name: 'key' })} />
        </SheetFoot>
      </Sheet>
      {begun && <Act begun={begun} done={read.again} close={() => begin(undefined)} />}
    </>
  );
}

function KeyState({ of: { revoked_at, expires_at, last_used_at } }: { of: Key }) {
  const { day, when } = useTimes();
  if (revoked_at) return <Text id="keys.revoked" />;
  return (
    <>
      <Text id="keys.until" values={{ when: day(expires_at) }} dir="auto" />
      {last_used_at && (
        <>
          {' · '}
          <Text id="account.session_used" values={{ when: when(last_used_at) }} dir="auto" />
        </>
      )}
    </>
  );
}

/** The dialog of an act. */
function Act({ begun, done, close }: { begun: Begun; done: () => void; close: () => void }) {
  /** Reads the lists again, and shows a secret once. */
  const then = (secret?: string): ReactNode => {
    done();
    return secret && <ShownOnce secret={secret} />;
  };
  if (begun.name === 'invite')
    return (
      <ActDialog
        label="console_operators.invite"
        does="console_operators.invite_does"
        required={['email']}
        fields={(field) => (
          <>
            <TextField field={field('email')} label="label.email" autoComplete="off" dir="ltr" spellCheck={false} />
            <RoleField field={field} roles={operatorRoles} />
          </>
        )}
        send={async (typed, sending) => {
          const body = { email: typed('email'), role: typed('role') as OperatorRole, reason: typed('reason') };
          return then((await sendRequest(inviteOperator, { body, ...sending })).invitation_link);
        }}
        close={close}
      />
    );
  if (begun.name === 'key')
    return (
      <ActDialog
        label="keys.create"
        does="console_operators.key_does"
        required={['name']}
        fields={(field) => (
          <>
            <TextField field={field('name')} label="keys.name" autoComplete="off" />
            <RoleField field={field} roles={keyRoles} />
            <DaysField field={field} />
            <TextField
              field={field('addresses')}
              label="keys.networks"
              optional
              hint={<Text id="keys.networks_hint" />}
              autoComplete="off"
              dir="ltr"
            />
          </>
        )}
        send={async (typed, sending) => {
          const addresses = typed('addresses')
            .split(/[\s,]+/)
            .filter(Boolean);
          const role = typed('role') as (typeof keyRoles)[number];
          const days = Number(typed('days'));
          const body = { name: typed('name'), role, days, addresses, reason: typed('reason') };
          return then((await sendRequest(addKey, { body, ...sending })).key);
        }}
        close={close}
      />
    );
  if (begun.name === 'revoke')
    return (
      <ActDialog
        label="keys.revoke"
        does="console_operators.now"
        danger
        whom={<bdi>{begun.key.name}</bdi>}
        send={async (typed, sending) => {
          await sendRequest(revokeKey, { params: { id: begun.key.id }, body: { reason: typed('reason') }, ...sending });
          return then();
        }}
        close={close}
      />
    );
  if (begun.name === 'revoke_invitation')
    return (
      <ActDialog
        label="keys.revoke"
        does="console_operators.now"
        danger
        whom={<bdi dir="ltr">{begun.invitation.email}</bdi>}
        send={async (typed, sending) => {
          const params = { id: begun.invitation.id };
          await sendRequest(revokeInvitation, { params, body: { reason: typed('reason') }, ...sending });
          return then();
        }}
        close={close}
      />
    );
  const { name, operator } = begun;
  const params = { id: operator.id };
  const isRemoval = name === 'remove';
  return (
    <ActDialog
      label={isRemoval ? 'console_operators.remove' : 'console_operators.change'}
      does="console_operators.now"
      danger={isRemoval}
      whom={
        <>
          <bdi>{operator.name}</bdi> <bdi dir="ltr">{operator.email}</bdi>
        </>
      }
      fields={(field) => !isRemoval && <RoleField field={field} roles={operatorRoles} role={operator.role} />}
      send={async (typed, sending) => {
        const reason = typed('reason');
        if (isRemoval) await sendRequest(removeOperator, { params, body: { reason }, ...sending });
        else {
          const body = { role: typed('role') as OperatorRole, reason };
          await sendRequest(changeOperator, { params, body, ...sending });
        }
        return then();
      }}
      close={close}
    />
  );
}

/** In days; a key lasts a year at most. */
const lifetimes = [7, 30, 90, 180, 365];
const usualLifetime = 90;

function DaysField({ field }: { field: FieldOf }) {
  const days = new Intl.NumberFormat(`${localeOf(usePage().language)}-u-nu-latn`, {
    style: 'unit',
    unit: 'day',
    unitDisplay: 'long',
  });
  return (
    <SelectField field={{ ...field('days'), value: String(usualLifetime) }} label="keys.days">
      {lifetimes.map((count) => (
        <option key={count} value={count}>
          {days.format(count)}
        </option>
      ))}
    </SelectField>
  );
}

interface RoleFieldProps {
  field: FieldOf;
  roles: readonly OperatorRole[];
  role?: OperatorRole;
}

function RoleField({ field, roles, role = 'support' }: RoleFieldProps) {
  const t = useText();
  return (
    <SelectField field={{ ...field('role'), value: role }} label="console_operators.role">
      {roles.map((one) => (
        <option key={one} value={one}>
          {t(roleNames[one])}
        </option>
      ))}
    </SelectField>
  );
}
