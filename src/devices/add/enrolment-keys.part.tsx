import { useEffect, useState } from 'react';
import { useForm, useWrongPassword } from '../../browser/forms/form.ts';
import { Paragraph, Text } from '../../browser/language/text.tsx';
import { useTimes } from '../../browser/language/times.ts';
import { usePage } from '../../browser/navigation/page.tsx';
import { RequestFailure } from '../../browser/requests/request-status.ts';
import { sendRemoval, sendRequest } from '../../browser/requests/send-request.ts';
import type { ResponseBody } from '../../contract/endpoint.ts';
import { localeOf } from '../../contract/languages.ts';
import { ConfirmAction, FormButtons } from '../../journeys/account/layout/rows.part.tsx';
import { Detail, IconLine, Lines } from '../../journeys/account/lines.part.tsx';
import { Unread, useRead } from '../../journeys/account/read.part.tsx';
import { Button } from '../../ui/button.tsx';
import { Command } from '../../ui/command.tsx';
import { Notice } from '../../ui/feedback/feedback.tsx';
import { FormProblems } from '../../ui/feedback/form-problems.tsx';
import { SelectField } from '../../ui/fields/choice-fields.tsx';
import { TextField } from '../../ui/fields/field.tsx';
import { PasswordField } from '../../ui/fields/password-fields.tsx';
import { icon } from '../../ui/icons.tsx';
import { FormStack } from '../../ui/layouts/card.tsx';
import { TextButton } from '../../ui/text-button.tsx';
import { VisuallyHidden } from '../../ui/visually-hidden.tsx';
import { type createEnrolmentKey, listEnrolmentKeys, revokeEnrolmentKey } from '../contract/enrolment-keys.ts';
import { systemNames } from './visitor-system.part.ts';

type Created = ResponseBody<typeof createEnrolmentKey>;

/** The keys with which scripts add many computers: the owner creates and revokes them. */
export function EnrolmentKeys({ email, changes }: { email: string; changes: number }) {
  const [created, setCreated] = useState<Created>();
  const [isOpen, open] = useState(false);
  const read = useRead((signal) => sendRequest(listEnrolmentKeys, { signal }));
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs after each change in the account
  useEffect(() => {
    if (changes > 0) read.again();
  }, [changes]);
  const keys = read.response?.keys ?? [];
  return (
    <>
      {created && <NewKey created={created} />}
      {isOpen ? (
        <KeyForm
          email={email}
          close={() => open(false)}
          done={(next) => {
            setCreated(next);
            open(false);
            read.again();
          }}
        />
      ) : (
        <Button label="keys.create" quiet narrow onClick={() => open(true)} />
      )}
      <Unread read={read}>
        {keys.length > 0 && (
          <Lines>
            {keys.map((key) => (
              <KeyLine key={key.id} shown={key} revoked={() => read.again()} />
            ))}
          </Lines>
        )}
      </Unread>
    </>
  );
}

/** The commands with a new key. */
const NewKey = ({ created: { commands } }: { created: Created }) => (
  <>
    <Notice kind="success" role="status" text="keys.created" />
    <Command systems={`${systemNames.linux}, ${systemNames.macos}`} command={commands.linux} />
    <Command systems={systemNames.windows} command={commands.windows} />
  </>
);

const Key = icon(
  <>
    <circle cx="7" cy="10" r="3.7" />
    <path d="M10.7 10h7M14.5 10v3M17.2 10v2.2" />
  </>,
);

const ends = { revoked: 'keys.revoked', expired: 'keys.expired', used_up: 'keys.used_up' } as const;

function KeyLine({ shown, revoked }: { shown: Created['key']; revoked: () => void }) {
  const { day, when } = useTimes();
  const [asks, ask] = useState(false);
  const { id, name, state, uses, max_uses: max, tags, networks, expires_at: until, last_used_at: used } = shown;
  const limits = [...tags, ...networks];
  return (
    <IconLine
      icon={<Key />}
      muted={state !== 'valid'}
      name={<bdi>{name}</bdi>}
      details={
        <>
          <Detail>
            <Text id="keys.used" values={{ uses: String(uses), max: String(max) }} />
            {' · '}
            {state === 'valid' ? (
              <Text id="keys.until" dir="auto" values={{ when: day(until) }} />
            ) : (
              <Text id={ends[state]} />
            )}
          </Detail>
          <Detail>
            {used === null ? (
              <Text id="security.passkey_unused" />
            ) : (
              <Text id="account.session_used" dir="auto" values={{ when: when(used) }} />
            )}
          </Detail>
          {limits.length > 0 && (
            <Detail>
              <bdi>{limits.join(', ')}</bdi>
            </Detail>
          )}
        </>
      }
      actions={
        state === 'valid' &&
        !asks && (
          <TextButton danger onClick={() => ask(true)}>
            <Text id="keys.revoke" />
            <VisuallyHidden>
              {' '}
              <bdi>{name}</bdi>
            </VisuallyHidden>
          </TextButton>
        )
      }
      form={
        asks && (
          <ConfirmAction
            text="keys.revoke_text"
            values={{ name }}
            label="keys.revoke"
            cancel={() => ask(false)}
            done={() => {
              ask(false);
              revoked();
            }}
            act={(signal) => sendRemoval(revokeEnrolmentKey, { params: { id }, signal })}
          />
        )
      }
    />
  );
}

const labels = {
  key_name: 'keys.name',
  key_uses: 'keys.max_uses',
  key_tags: 'device.tags',
  key_networks: 'keys.networks',
  key_password: 'label.password',
} as const;

/** Days to choose from. */
const lifetimes = [1, 7, 30, 90, 365];

/** The form for a new key. It asks for the password if the sign-in is too old: someone else may sit there now. */
function KeyForm({ email, close, done }: { email: string; close: () => void; done: (created: Created) => void }) {
  const [isProving, prove] = useState(false);
  const form = useForm({
    contract: () => import('../contract/enrolment-keys.ts'),
    schema: ({ keyForm }) => keyForm,
    initial: { key_name: '', key_uses: '', key_days: '7', key_tags: '', key_networks: '', key_password: '' },
    async send({ createEnrolmentKey, keyRequestOf }, fields, signal) {
      const body = keyRequestOf(fields);
      done(await sendRequest(createEnrolmentKey, { body, signal }).catch(askForPassword));
    },
  });
  useWrongPassword(form, 'key_password');
  function askForPassword(failure: unknown): never {
    const refused =
      failure instanceof RequestFailure ? failure.fields.find(({ field }) => field === 'password') : undefined;
    if (!refused) throw failure;
    prove(true);
    throw new RequestFailure(422, { code: 'validation_failed', fields: [{ ...refused, field: 'key_password' }] });
  }
  const days = new Intl.NumberFormat(`${localeOf(usePage().language)}-u-nu-latn`, {
    style: 'unit',
    unit: 'day',
    unitDisplay: 'long',
  });
  return (
    <FormStack {...form.props}>
      <FormProblems form={form} labels={labels} />
      <TextField field={form.field('key_name')} label="keys.name" autoComplete="off" />
      <TextField field={form.field('key_uses')} label="keys.max_uses" inputMode="numeric" autoComplete="off" />
      <SelectField field={form.field('key_days')} label="keys.days">
        {lifetimes.map((count) => (
          <option key={count} value={count}>
            {days.format(count)}
          </option>
        ))}
      </SelectField>
      <TextField
        field={form.field('key_tags')}
        label="device.tags"
        optional
        hint={<Text id="device.tags_hint" />}
        autoComplete="off"
      />
      <TextField
        field={form.field('key_networks')}
        label="keys.networks"
        optional
        hint={<Text id="keys.networks_hint" />}
        autoComplete="off"
        dir="ltr"
      />
      {isProving && (
        <>
          <Paragraph id="computers_add.prove" />
          {/* Password managers find the password by this name. */}
          <input type="text" name="email" autoComplete="username" defaultValue={email} readOnly hidden />
          <PasswordField field={form.field('key_password')} label="label.password" autoComplete="current-password" />
        </>
      )}
      <FormButtons form={form} label="keys.create" cancel={close} />
    </FormStack>
  );
}
