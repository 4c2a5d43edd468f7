import { type ReactNode, useEffect, useState } from 'react';
import { Text } from '../../../../browser/language/text.tsx';
import { useTimes } from '../../../../browser/language/times.ts';
import { useKeptFocus } from '../../../../browser/navigation/history.ts';
import { Link } from '../../../../browser/navigation/navigation.tsx';
import { usePage } from '../../../../browser/navigation/page.tsx';
import { useRequest } from '../../../../browser/requests/request-status.ts';
import { sendRequest } from '../../../../browser/requests/send-request.ts';
import { isRoleEnough, type OperatorRole, seesContacts } from '../../../../contract/operators.ts';
import type { MessageId } from '../../../../messages/ids.ts';
import { Button, ButtonLink } from '../../../../ui/button.tsx';
import { Notice } from '../../../../ui/feedback/feedback.tsx';
import { Fold } from '../../../../ui/fields/choice-fields.tsx';
import { profileNames } from '../../../../ui/fields/profile-fields.tsx';
import { Sheet, SheetFoot } from '../../../../ui/layouts/card.tsx';
import { TextButton } from '../../../../ui/text-button.tsx';
import { DeviceName } from '../../../account/lines.part.tsx';
import { useRead } from '../../../account/read.part.tsx';
import { readPerson, revealPerson } from '../../people.contract.ts';
import { ConsoleFailed, ConsolePage, ConsoleUnread } from '../layout/console-page.part.tsx';
import { Details } from '../layout/list.part.tsx';
import { keepRecent } from '../people/recent.part.ts';
import { type ActName, acts, actsFor, type Person } from './acts.part.ts';
import { GoingOn } from './going-on.part.tsx';
import css from './person.module.css';
import { type BegunAct, PersonAct } from './person-act.part.tsx';
import { Timeline } from './timeline.part.tsx';

/** One person: what is going on, what an operator can do, and everything about the account. */
export default function PersonPage() {
  const { params, setTitle, settings } = usePage();
  const id = params.id ?? '';
  const [name, setName] = useState<string>();
  useEffect(() => {
    setTitle(name && `${name} – ${settings.productName}`);
    return () => setTitle(undefined);
  }, [name, setTitle, settings]);
  return (
    <ConsolePage
      title={name ? <bdi>{name}</bdi> : <Text id="console_person.page" />}
      lead={<Link to="/console/" text="console_people.page" />}
      actions={({ role }) =>
        isRoleEnough(role, 'support') && (
          <ButtonLink to={`/console/people/${id}/seen/`} label="console_seen.page" narrow quiet />
        )
      }
    >
      {({ role }) => <Read key={id} id={id} role={role} named={setName} />}
    </ConsolePage>
  );
}

interface ReadProps {
  id: string;
  role: OperatorRole;
  named: (name: string) => void;
}

function Read({ id, role, named }: ReadProps) {
  const read = useRead(async (signal) => {
    const person = await sendRequest(readPerson, { params: { id }, signal });
    const name = person.name || person.email;
    named(name);
    keepRecent({ id, name });
    return person;
  });
  const [begun, setBegun] = useState<{ act?: BegunAct | undefined; at: number }>({ at: 0 });
  // Each has a dialog of its own.
  const begin = (act?: BegunAct) => setBegun({ act, at: begun.at + 1 });
  const [changes, count] = useState(0);
  useKeptFocus();
  const { response: person, failure } = read;
  if (failure?.code === 'not_found') return <Notice kind="info" text="console_person.gone" />;
  if (!person) return <ConsoleUnread failure={failure} retry={read.again} />;
  const may = isRoleEnough(role, 'support');
  return (
    <>
      <ConsoleFailed failure={failure} />
      <Contacts person={person} role={role} />
      <GoingOn person={person} begin={may ? (name) => begin({ name }) : undefined} />
      <div className={css.columns}>
        <Timeline key={changes} id={id} />
        <div className={css.facts}>
          <SignIn person={person} begin={may ? begin : undefined} />
          {may && <Acts names={actsFor(person)} begin={(name) => begin({ name })} />}
          <Uses person={person} begin={may ? begin : undefined} />
        </div>
      </div>
      {begun.act && (
        <PersonAct
          key={begun.at}
          person={person}
          act={begun.act}
          role={role}
          done={() => {
            read.again();
            count(changes + 1);
          }}
          close={() => begin()}
        />
      )}
    </>
  );
}

/** Address, number and the optional texts. A viewer sees the first two masked until they ask for them, which is recorded. */
function Contacts({ person, role }: { person: Person; role: OperatorRole }) {
  const { id, created_at, locked_at, delete_at } = person;
  const { day, when } = useTimes();
  const [revealed, setRevealed] = useState<Pick<Person, 'email' | 'phone'>>();
  const reveal = useRequest(async (signal) =>
    setRevealed(await sendRequest(revealPerson, { params: { id }, body: {}, signal })),
  );
  const { email, phone } = revealed ?? person;
  return (
    <div className={css.contacts}>
      <bdi dir="ltr">{email}</bdi>
      {phone && (
        <bdi dir="ltr" className={css.number}>
          {phone}
        </bdi>
      )}
      {!seesContacts(role) && !revealed && (
        <TextButton onClick={() => void reveal.start()} label="console_person.reveal" />
      )}
      {profileNames.map((name) => person[name] && <bdi key={name}>{person[name]}</bdi>)}
      <span>
        <Text id="account.since" values={{ when: day(created_at) }} dir="auto" />
      </span>
      {locked_at && (
        <strong className={css.warning}>
          <Text id="console_people.locked" />
        </strong>
      )}
      {delete_at && (
        <strong className={css.warning}>
          <Text id="account.deletion_date" values={{ date: when(delete_at) }} dir="auto" />
        </strong>
      )}
      <ConsoleFailed failure={reveal.error} />
    </div>
  );
}

/** Acts that a person needs most stay in view. */
const maxInView = 3;

interface ActsProps {
  names: readonly ActName[];
  begin: (name: ActName) => void;
}

/** What an operator can do: the first acts, the others behind a line, and apart from them what locks or destroys. */
function Acts({ names, begin }: ActsProps) {
  const usual = names.filter((name) => !acts[name].danger);
  const list = (some: readonly ActName[]) => (
    <ul className={css.acts}>
      {some.map((name) => (
        <li key={name}>
          <TextButton danger={acts[name].danger ?? false} onClick={() => begin(name)} label={acts[name].label} />
        </li>
      ))}
    </ul>
  );
  return (
    <Sheet title="console_person.help">
      {list(usual.slice(0, maxInView))}
      {usual.length > maxInView && (
        <div className={css.more}>
          <Fold label="console_person.more">{list(usual.slice(maxInView))}</Fold>
        </div>
      )}
      <div className={css.dangers}>{list(names.filter((name) => acts[name].danger))}</div>
    </Sheet>
  );
}

const Fact = ({ label, children }: { label: MessageId; children: ReactNode }) => (
  <div className={css.fact}>
    <dt>
      <Text id={label} />
    </dt>
    <dd>{children}</dd>
  </div>
);

interface AboutProps {
  person: Person;
  /** Undefined for operators who may not act. */
  begin: ((act: BegunAct) => void) | undefined;
}

/** The ways in, and where they are in use. */
function SignIn({ person, begin }: AboutProps) {
  const { day } = useTimes();
  const { password, password_changed_at, passkeys, authenticator, recovery_codes_left, remembered_devices } = person;
  return (
    <Sheet title="account_security.page">
      <dl>
        <Fact label="label.password">
          {password ? (
            <Text id="account.password_set" values={{ when: day(password_changed_at) }} dir="auto" />
          ) : (
            <Text id="console_person.no_password" />
          )}
        </Fact>
        <Fact label="security.passkeys">
          {passkeys.length === 0 && 0}
          {passkeys.map(({ id, name }) => (
            <span key={id} className={css.item}>
              <bdi>{name}</bdi>{' '}
              {begin && (
                <TextButton
                  danger
                  onClick={() => begin({ name: 'remove_passkey', about: { id, name } })}
                  label="security.passkey_remove"
                />
              )}
            </span>
          ))}
        </Fact>
        <Fact label="security.authenticator">
          <Text id={authenticator ? 'security.on' : 'security.off'} />
        </Fact>
        {authenticator && (
          <Fact label="security.recovery_codes">
            <Text id="security.recovery_left" values={{ count: recovery_codes_left }} />
          </Fact>
        )}
        <Fact label="security.remembered">{remembered_devices}</Fact>
        <Fact label="label.email">
          <Text id={person.email_proven_at ? 'account.confirmed' : 'account.unconfirmed'} />
        </Fact>
        {person.phone && (
          <Fact label="label.phone">
            <Text id={person.phone_confirmed_at ? 'account.confirmed' : 'account.unconfirmed'} />
          </Fact>
        )}
        <Fact label="account_sessions.page">
          {person.sessions.length === 0 && 0}
          {person.sessions.map(({ id, device, ip, last_seen_at }) => (
            <span key={id} className={css.item}>
              <DeviceName name={device} /> <Details of={[ip, day(last_seen_at)]} />
            </span>
          ))}
        </Fact>
      </dl>
    </Sheet>
  );
}

interface ListProps {
  title: MessageId;
  /** What can be added to it. */
  foot?: ReactNode;
  children: readonly ReactNode[];
}

/** A list that is absent while it has neither lines nor something to add. */
const List = ({ title, foot, children }: ListProps) =>
  (children.length > 0 || foot) && (
    <Sheet title={title}>
      {children.length > 0 && <ul className={css.plain}>{children}</ul>}
      {foot && <SheetFoot>{foot}</SheetFoot>}
    </Sheet>
  );

/** What the person uses: computers, applications, groups; and notes of colleagues. */
function Uses({ person, begin }: AboutProps) {
  const { day, when } = useTimes();
  const { computers = [], applications, groups, notes } = person;
  const used = ({ id, name, at }: { readonly id: string; readonly name: string; readonly at: string }) => (
    <li key={id}>
      <bdi>{name}</bdi> <Details of={[day(at)]} />
    </li>
  );
  return (
    <>
      <List title="devices.page">{computers.map(({ last_seen_at: at, ...one }) => used({ ...one, at }))}</List>
      <List title="connected_apps.title">
        {applications.map(({ last_used_at: at, ...one }) => used({ ...one, at }))}
      </List>
      <List
        title="console_person.notes"
        foot={begin && <Button label="console_act.note" quiet narrow onClick={() => begin({ name: 'note' })} />}
      >
        {notes.map(({ at, actor, actor_name, text }) => (
          <li key={at + text}>
            <bdi className={css.note}>{text}</bdi>
            <Details of={[when(at), actor_name ?? actor]} />
          </li>
        ))}
      </List>
      <List
        title="console_person.groups"
        foot={
          begin && <Button label="console_act.add_group" quiet narrow onClick={() => begin({ name: 'add_group' })} />
        }
      >
        {groups.map((group) => (
          <li key={group}>
            <bdi>{group}</bdi>{' '}
            {begin && (
              <TextButton
                onClick={() => begin({ name: 'remove_group', about: { id: group, name: group } })}
                label="console_act.remove_group"
              />
            )}
          </li>
        ))}
      </List>
    </>
  );
}
