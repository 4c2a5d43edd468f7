import type { ReactNode } from 'react';
import { Paragraph, Text } from '../../../../browser/language/text.tsx';
import { useTimes } from '../../../../browser/language/times.ts';
import { sendRequest } from '../../../../browser/requests/send-request.ts';
import { knownLanguage, languageOf } from '../../../../contract/languages.ts';
import type { MessageId } from '../../../../messages/ids.ts';
import { Notice } from '../../../../ui/feedback/feedback.tsx';
import { profileLabels, profileNames } from '../../../../ui/fields/profile-fields.tsx';
import { Card, Heading } from '../../../../ui/layouts/card.tsx';
import { Remark, Row, Rows, Standing } from '../../../account/layout/rows.part.tsx';
import { DeviceName, Line, Lines } from '../../../account/lines.part.tsx';
import { useRead } from '../../../account/read.part.tsx';
import { activityWords } from '../../../account/sessions/activity.part.tsx';
import { readPerson } from '../../people.contract.ts';
import { ConsoleUnread } from '../layout/console-page.part.tsx';
import type { Person } from './acts.part.ts';

interface SeenAccountProps {
  id: string;
  named: (name: string) => void;
  /** What the other pages show, below the notices of every page. */
  children: ReactNode;
}

/** The pages of someone's account, one below the other. */
export function SeenAccount({ id, named, children }: SeenAccountProps) {
  const read = useRead(async (signal) => {
    const person = await sendRequest(readPerson, { params: { id }, signal });
    named(person.name || person.email);
    return person;
  });
  const { response: person, failure } = read;
  if (failure?.code === 'not_found') return <Notice kind="info" text="console_person.gone" />;
  return (
    <>
      {person && <Notices person={person} />}
      {children}
      {person ? (
        <>
          <Profile person={person} />
          <Security person={person} />
          <Lists person={person} />
        </>
      ) : (
        <ConsoleUnread failure={failure} retry={read.again} />
      )}
    </>
  );
}

/** What is above every page of the account, or why nobody sees these pages now. */
function Notices({
  person: { email, email_proven_at, email_unreachable_since, locked_at, delete_at },
}: {
  person: Person;
}) {
  const { when } = useTimes();
  if (locked_at) return <Notice kind="danger" text="going_on.cannot_sign_in" />;
  if (delete_at)
    return (
      <Notice kind="danger">
        <Text id="going_on.deletion_planned" values={{ until: when(delete_at) }} dir="auto" />
      </Notice>
    );
  if (email_unreachable_since)
    return (
      <Notice kind="danger">
        <Paragraph id="account.unreachable" values={{ email }} tags={{ change: <span /> }} />
      </Notice>
    );
  if (email_proven_at) return null;
  return (
    <Notice kind="info">
      <Paragraph id="account.unconfirmed_text" values={{ email }} />
    </Notice>
  );
}

function Profile({ person }: { person: Person }) {
  const { name, locale, created_at } = person;
  const { day } = useTimes();
  const { tag, name: language } = languageOf(knownLanguage(locale));
  return (
    <Rows>
      <Row label="console_act.name">
        <bdi>{name}</bdi>
        <Remark>
          <Text id="account.since" values={{ when: day(created_at) }} dir="auto" />
        </Remark>
      </Row>
      {profileNames.map(
        (field) =>
          person[field] && (
            <Row key={field} label={profileLabels[field]}>
              <bdi>{person[field]}</bdi>
            </Row>
          ),
      )}
      <Row label="account.language">
        <span lang={tag}>{language}</span>
      </Row>
    </Rows>
  );
}

const Confirmed = ({ at }: { at: string | null }) => (
  <Standing good={at !== null} label={at ? 'account.confirmed' : 'account.unconfirmed'} />
);

function Security({ person }: { person: Person }) {
  const { day, when } = useTimes();
  const { email, email_change_to, phone, password, passkeys, authenticator, second_step_removal_at } = person;
  return (
    <Rows>
      <Row label="label.email">
        <bdi dir="ltr">{email}</bdi>
        <Confirmed at={person.email_proven_at} />
        {email_change_to && (
          <Remark>
            <Text id="account.email_pending" values={{ email: email_change_to }} />
          </Remark>
        )}
      </Row>
      <Row label="label.password">
        {password ? (
          <span>
            <Text id="account.password_set" values={{ when: day(person.password_changed_at) }} dir="auto" />
          </span>
        ) : (
          <Remark text="security.no_password" />
        )}
      </Row>
      {phone && (
        <Row label="label.phone">
          <bdi dir="ltr">{phone}</bdi>
          <Confirmed at={person.phone_confirmed_at} />
        </Row>
      )}
      <Row label="security.passkeys">
        {passkeys.length === 0 && <Remark text="security.passkeys_text" />}
        {passkeys.map(({ id, name }) => (
          <bdi key={id}>{name}</bdi>
        ))}
      </Row>
      <Row label="security.authenticator">
        <Standing good={authenticator} label={authenticator ? 'security.on' : 'security.off'} />
        <Remark text={authenticator ? 'security.authenticator_on' : 'security.authenticator_off'} />
        {second_step_removal_at && (
          <Remark>
            <Text id="second_step.removal_at" values={{ when: when(second_step_removal_at) }} dir="auto" />
          </Remark>
        )}
      </Row>
      {authenticator && (
        <Row label="security.recovery_codes">
          <span>
            <Text id="security.recovery_left" values={{ count: person.recovery_codes_left }} />
          </span>
        </Row>
      )}
    </Rows>
  );
}

interface ListProps {
  title: MessageId;
  children: readonly ReactNode[];
}

const List = ({ title, children }: ListProps) =>
  children.length > 0 && (
    <Card>
      <Heading text={title} />
      <Lines>{children}</Lines>
    </Card>
  );

const words: Readonly<Record<string, MessageId>> = activityWords;

/** Where the account is signed in, the applications that it is connected to, and what happened last. */
function Lists({ person: { sessions, applications, activity } }: { person: Person }) {
  const { when } = useTimes();
  return (
    <>
      <List title="account.sessions">
        {sessions.map(({ id, device, ip, last_seen_at }) => (
          <Line
            key={id}
            title={<DeviceName name={device} />}
            details={[
              <bdi key="ip">{ip}</bdi>,
              <Text key="used" id="account.session_used" values={{ when: when(last_seen_at) }} dir="auto" />,
            ]}
          />
        ))}
      </List>
      <List title="connected_apps.title">
        {applications.map(({ id, name, last_used_at }) => (
          <Line
            key={id}
            title={<bdi>{name}</bdi>}
            details={[<Text key="used" id="account.session_used" values={{ when: when(last_used_at) }} dir="auto" />]}
          />
        ))}
      </List>
      <List title="account.activity">
        {activity.map(({ at, kind, device, ip }) => (
          <Line
            key={at + kind}
            title={words[kind] && <Text id={words[kind]} />}
            details={[
              ip && (
                <span key="where">
                  <DeviceName name={device} /> <bdi>{ip}</bdi>
                </span>
              ),
              when(at),
            ]}
          />
        ))}
      </List>
    </>
  );
}
