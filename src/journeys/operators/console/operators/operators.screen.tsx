import { type ComponentProps, type ReactNode, useState } from 'react';
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
import { ActDialog, type FieldOf, type Sending, ShownOnce } from '../layout/act-dialog.part.tsx';
import { ConsoleFailed, ConsolePage, ConsoleUnread, roleNames } from '../layout/console-page.part.tsx';
import css from './operators.module.css';

type Operator = ResponseBody<typeof listOperators>['items'][number];
type Key = ResponseBody<typeof listKeys>['items'][number];
/** An act of the page; `send` returns the secret that its result shows once, if any. */
interface Act
  extends Pick<ComponentProps<typeof ActDialog>, 'label' | 'does' | 'danger' | 'whom' | 'required' | 'fields'> {
  readonly send: (typed: (name: string) => string, sending: Sending) => Promise<string | undefined>;
}

/** Who may use the console, and the keys of programs. */
export default function Operators() {
  return <ConsolePage title={<Text id="console_operators.page" />}>{() => <Lists />}</ConsolePage>;
}

function Lists() {
  const { day, when } = useTimes();
  const [act, begin] = useState<Act>();
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
            <Row
              key={operator.id}
              name={operator.name}
              detail={<bdi dir="ltr">{operator.email}</bdi>}
              role={operator.role}
              state={day(operator.added_at)}
            >
              <TextButton onClick={() => begin(change(operator))} label="console_operators.change" />
              <TextButton danger onClick={() => begin(remove(operator))} label="console_operators.remove" />
            </Row>
          ))}
        </ul>
        <SheetFoot>
          <Button label="console_operators.invite" narrow quiet onClick={() => begin(invite)} />
        </SheetFoot>
      </Sheet>
      {invitations.length > 0 && (
        <Sheet title="console_operators.invitations">
          <ul className={css.list}>
            {invitations.map(({ id, email, role, added_by, added_by_name, expires_at }) => (
              <Row
                key={id}
                name={email}
                detail={
                  <Text
                    id="console_operators.invited_by"
                    values={{ name: added_by_name ?? added_by ?? 'vestibule' }}
                    dir="auto"
                  />
                }
                role={role}
                state={<Text id="keys.until" values={{ when: when(expires_at) }} dir="auto" />}
              >
                <TextButton
                  danger
                  onClick={() => begin(revoke(revokeInvitation, { id, name: email }))}
                  label="keys.revoke"
                />
              </Row>
            ))}
          </ul>
        </Sheet>
      )}
      <Sheet title="console_operators.keys">
        {keys.length === 0 && <SheetEmpty id="console_timeline.none" />}
        <ul className={css.list}>
          {keys.map((key) => (
            <Row
              key={key.id}
              name={key.name}
              detail={key.addresses.length > 0 && <bdi dir="ltr">{key.addresses.join(' ')}</bdi>}
              role={key.role}
              state={<KeyState of={key} />}
            >
              {key.revoked_at === null && (
                <TextButton danger onClick={() => begin(revoke(revokeKey, key))} label="keys.revoke" />
              )}
            </Row>
          ))}
        </ul>
        <SheetFoot>
          <Button label="keys.create" narrow quiet onClick={() => begin(createKey)} />
        </SheetFoot>
      </Sheet>
      {act && (
        <ActDialog
          {...act}
          send={async (typed, sending) => {
            const secret = await act.send(typed, sending);
            read.again();
            return secret && <ShownOnce secret={secret} />;
          }}
          close={() => begin(undefined)}
        />
      )}
    </>
  );
}

interface RowProps {
  name: string;
  detail: ReactNode;
  role: OperatorRole;
  /** Since when or until when. */
  state: ReactNode;
  /** What can be done about it. */
  children: ReactNode;
}

const Row = ({ name, detail, role, state, children }: RowProps) => (
  <li>
    <span className={css.name}>
      <bdi>{name}</bdi>
      {detail && <span className={css.detail}>{detail}</span>}
    </span>
    <span>
      <Text id={roleNames[role]} />
      <span className={css.detail}>{state}</span>
    </span>
    <span className={css.acts}>{children}</span>
  </li>
);

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

const invite: Act = {
  label: 'console_operators.invite',
  does: 'console_operators.invite_does',
  required: ['email'],
  fields: (field) => (
    <>
      <TextField field={field('email')} label="label.email" autoComplete="off" dir="ltr" spellCheck={false} />
      <RoleField field={field} roles={operatorRoles} />
    </>
  ),
  async send(typed, sending) {
    const body = { email: typed('email'), role: typed('role') as OperatorRole, reason: typed('reason') };
    return (await sendRequest(inviteOperator, { body, ...sending })).invitation_link;
  },
};

const createKey: Act = {
  label: 'keys.create',
  does: 'console_operators.key_does',
  required: ['name'],
  fields: (field) => (
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
  ),
  async send(typed, sending) {
    const addresses = typed('addresses')
      .split(/[\s,]+/)
      .filter(Boolean);
    const role = typed('role') as (typeof keyRoles)[number];
    const body = { name: typed('name'), role, days: Number(typed('days')), addresses, reason: typed('reason') };
    return (await sendRequest(addKey, { body, ...sending })).key;
  },
};

/** Ends an invitation, a key or a role. */
const end = (
  endpoint: typeof revokeInvitation | typeof revokeKey | typeof removeOperator,
  { id, ...about }: Pick<Act, 'label' | 'whom'> & { readonly id: string },
): Act => ({
  ...about,
  ...{ does: 'console_operators.now', danger: true },
  async send(typed, sending) {
    await sendRequest(endpoint, { params: { id }, body: { reason: typed('reason') }, ...sending });
    return undefined;
  },
});

const revoke = (
  endpoint: typeof revokeInvitation | typeof revokeKey,
  { id, name }: { readonly id: string; readonly name: string },
) => end(endpoint, { id, label: 'keys.revoke', whom: <bdi>{name}</bdi> });

const whomOf = ({ name, email }: Operator) => (
  <>
    <bdi>{name}</bdi> <bdi dir="ltr">{email}</bdi>
  </>
);

const remove = (operator: Operator) =>
  end(removeOperator, { id: operator.id, label: 'console_operators.remove', whom: whomOf(operator) });

const change = (operator: Operator): Act => ({
  label: 'console_operators.change',
  does: 'console_operators.now',
  whom: whomOf(operator),
  fields: (field) => <RoleField field={field} roles={operatorRoles} role={operator.role} />,
  async send(typed, sending) {
    const body = { role: typed('role') as OperatorRole, reason: typed('reason') };
    await sendRequest(changeOperator, { params: { id: operator.id }, body, ...sending });
    return undefined;
  },
});

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
