import { type ReactNode, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { hasDraft, useOwnDraft } from '../../browser/forms/draft.ts';
import { useForm } from '../../browser/forms/form.ts';
import { Paragraph, Text } from '../../browser/language/text.tsx';
import { useTimes } from '../../browser/language/times.ts';
import { hasPasskeys, signalAcceptedPasskeys, signalPasskeyOwner } from '../../browser/passkeys/passkey-support.ts';
import { useRequest } from '../../browser/requests/request-status.ts';
import { sendRemoval, sendRequest } from '../../browser/requests/send-request.ts';
import { notifyAccountChanged, useAccountChanges } from '../../browser/requests/session.ts';
import type { readAccount } from '../../contract/account.ts';
import type { ResponseBody } from '../../contract/endpoint.ts';
import { Button } from '../../ui/button.tsx';
import { Notice } from '../../ui/feedback/feedback.tsx';
import { FormProblems } from '../../ui/feedback/form-problems.tsx';
import { TextField } from '../../ui/fields/field.tsx';
import { icon } from '../../ui/icons.tsx';
import { Card, FormStack, Heading } from '../../ui/layouts/card.tsx';
import { TextButton } from '../../ui/text-button.tsx';
import { VisuallyHidden } from '../../ui/visually-hidden.tsx';
import { ConfirmAction, FormButtons } from '../account/layout/rows.part.tsx';
import { Detail, Facts, IconLine, Lines } from '../account/lines.part.tsx';
import { Unread, useRead } from '../account/read.part.tsx';
import { addNewPasskey, CreationFailed } from './passkey-offer.part.tsx';
import { type addPasskey, listPasskeys, removePasskey, removePassword } from './passkeys.contract.ts';
import css from './passkeys.module.css';

type Account = ResponseBody<typeof readAccount>;

interface PasskeysProps {
  account: Account;
  /** Called once the list has arrived, or the reason why it has not: after that, its height stays. */
  settled: () => void;
}

/** The passkeys of the account: the owner adds, renames and removes them. */
export function Passkeys({ account, settled }: PasskeysProps) {
  const [said, say] = useState<'added' | 'renamed' | 'removed' | 'canceled'>();
  const [supported, support] = useState(true);
  useEffect(() => support(hasPasskeys()), []);
  const read = useRead(async (signal) => {
    const listed = await sendRequest(listPasskeys, { signal });
    signal.throwIfAborted();
    signalAll(listed, account);
    return listed.passkeys;
  });
  const isSettled = read.response !== undefined || read.failure !== undefined;
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once, after the first response
  useEffect(() => {
    if (isSettled) settled();
  }, [isSettled]);
  useAccountChanges(read.again, read.again);
  const adding = useRequest(
    async (signal) => {
      say(undefined);
      const added = await addNewPasskey(false, signal);
      say(added ? 'added' : 'canceled');
      if (added) notifyAccountChanged();
    },
    // The device has one that the list may lack: the response to an earlier attempt was lost.
    { onError: ({ code }) => code === 'passkey_exists' && notifyAccountChanged() },
  );
  const passkeys = read.response ?? [];
  const { cancel: clearFailure, state } = adding;
  const accepted = passkeys.map(({ id }) => id).join();
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when passkeys change, since a failure was about the earlier ones
  useEffect(() => {
    if (state === 'error') clearFailure();
  }, [accepted]);
  const succeed = (change: 'renamed' | 'removed') => {
    say(change);
    if (state === 'error') clearFailure();
    notifyAccountChanged();
  };
  return (
    <Card id="passkeys">
      <div className={css.head}>
        <Heading text="security.passkeys" />
        <Paragraph id="security.passkeys_text" />
        {supported && <Button label="security.passkey_add" quiet narrow request={adding} />}
      </div>
      <Unread read={read}>
        {passkeys.length > 0 && (
          <Lines>
            {passkeys.map((passkey) => (
              <PasskeyLine
                key={passkey.id}
                passkey={passkey}
                begun={() => say(undefined)}
                renamed={() => succeed('renamed')}
                removed={() => succeed('removed')}
              />
            ))}
          </Lines>
        )}
        {said === 'added' && <Notice kind="success" role="status" text="security.passkey_added" />}
        {said === 'renamed' && <Notice kind="success" role="status" text="account.saved" />}
        {said === 'removed' && <Notice kind="success" role="status" text="security.passkey_removed" />}
        {said === 'canceled' && <Notice kind="info" role="status" text="passkey.canceled" />}
        <CreationFailed failure={adding.error} />
        {!supported && <Paragraph id="passkey.unsupported" />}
      </Unread>
    </Card>
  );
}

/** Password managers drop passkeys that the account no longer has, and show its current name. */
function signalAll(
  { passkeys, rp_id: rpId, user_id: userId }: ResponseBody<typeof listPasskeys>,
  { name, email }: Account,
): void {
  if (!hasPasskeys() || !rpId || !userId) return;
  const owner = { rpId, userId };
  signalAcceptedPasskeys(
    owner,
    passkeys.map(({ id }) => id),
  );
  signalPasskeyOwner(owner, { name: email, displayName: name });
}

const Key = icon(
  <>
    <circle cx="7" cy="10" r="3.7" />
    <path d="M10.7 10h7M14.5 10v3M17.2 10v2.2" />
  </>,
);

interface PasskeyLineProps {
  passkey: ResponseBody<typeof addPasskey>;
  /** A form was opened. */
  begun: () => void;
  renamed: () => void;
  removed: () => void;
}

/** A passkey: its name and provider, since when it exists, its last use, and whether it survives the loss of a device. */
function PasskeyLine({ passkey, begun, renamed, removed }: PasskeyLineProps) {
  const { day, when } = useTimes();
  const draft = useOwnDraft(`passkey-${passkey.id}`);
  const [form, setForm] = useState<'rename' | 'remove' | undefined>(hasDraft(draft) ? 'rename' : undefined);
  const line = useRef<HTMLLIElement>(null);
  const before = useRef(form);
  // Before `useKeptFocus` elsewhere on the page moves the focus to the heading.
  useLayoutEffect(() => {
    const was = before.current;
    before.current = form;
    // The focused element disappeared with the previous state.
    if (document.activeElement !== document.body || was === form) return;
    const selector = form ? 'input, button' : `[data-opens="${was}"] button`;
    line.current?.querySelector<HTMLElement>(selector)?.focus();
  }, [form]);
  const close = () => setForm(undefined);
  const open = (what: 'rename' | 'remove') => {
    begun();
    setForm(what);
  };
  const { id, name, provider, synced, created_at: created, last_used_at: used } = passkey;
  const opener = (what: 'rename' | 'remove', words: ReactNode) => (
    <span data-opens={what}>
      <TextButton danger={what === 'remove'} onClick={() => open(what)}>
        {words}
        <VisuallyHidden>
          {' '}
          <bdi>{name}</bdi>
        </VisuallyHidden>
      </TextButton>
    </span>
  );
  return (
    <IconLine
      ref={line}
      icon={<Key />}
      name={
        <>
          <bdi>{name}</bdi>
          {provider !== null && provider !== name && (
            <Detail>
              <bdi>{provider}</bdi>
            </Detail>
          )}
        </>
      }
      details={
        <>
          <Detail>
            <Text id={synced ? 'security.passkey_synced' : 'security.passkey_local'} />
          </Detail>
          <Detail>
            <Facts>
              <Text id="security.passkey_created" dir="auto" values={{ when: day(created) }} />
              {used === null ? (
                <Text id="security.passkey_unused" />
              ) : (
                <Text id="account.session_used" dir="auto" values={{ when: when(used) }} />
              )}
            </Facts>
          </Detail>
        </>
      }
      actions={
        form === undefined && (
          <>
            {opener('rename', <Text id="security.rename" />)}
            {opener('remove', <Text id="security.remove" />)}
          </>
        )
      }
      form={
        form === 'rename' ? (
          <RenamePasskey
            id={id}
            name={name}
            draft={draft}
            close={close}
            done={() => {
              renamed();
              close();
            }}
          />
        ) : (
          form === 'remove' && (
            <ConfirmAction
              text="security.passkey_remove_text"
              values={{ name }}
              label="security.passkey_remove"
              cancel={close}
              done={removed}
              act={async (signal) => {
                await sendRemoval(removePasskey, { params: { id }, signal });
              }}
            />
          )
        )
      }
    />
  );
}

interface RenamePasskeyProps {
  id: string;
  name: string;
  draft: string | undefined;
  close: () => void;
  done: () => void;
}

const labels = { passkey_name: 'security.passkey_name' } as const;

function RenamePasskey({ id, name, draft, close, done }: RenamePasskeyProps) {
  const form = useForm({
    contract: () => import('./passkeys.contract.ts'),
    schema: ({ passkeyName }) => passkeyName,
    initial: { passkey_name: name },
    draft,
    async send({ renamePasskey }, { passkey_name }, signal) {
      await sendRequest(renamePasskey, { params: { id }, body: { name: passkey_name }, signal });
      done();
    },
  });
  return (
    <FormStack {...form.props}>
      <FormProblems form={form} labels={labels} />
      <TextField field={form.field('passkey_name')} label="security.passkey_name" autoComplete="off" />
      <FormButtons form={form} label="account.save" cancel={close} />
    </FormStack>
  );
}

/** Removes the password of an account with at least two passkeys. */
export const RemovePassword = ({ done, cancel }: { done: () => void; cancel: () => void }) => (
  <ConfirmAction
    text="security.password_remove_text"
    label="security.password_remove"
    cancel={cancel}
    done={() => {
      done();
      notifyAccountChanged();
    }}
    act={async (signal) => {
      await sendRequest(removePassword, { signal });
    }}
  />
);
