import { type ReactNode, useLayoutEffect, useRef, useState } from 'react';
import { hasDraft } from '../../../browser/forms/form-draft.ts';
import { useOwnDraft } from '../../../browser/forms/own-draft.ts';
import { Text } from '../../../browser/language/text.tsx';
import { sendRemoval } from '../../../browser/requests/send-removal.ts';
import type { ResponseBody } from '../../../contract/endpoint.ts';
import { icon } from '../../../ui/icons.tsx';
import { TextButton } from '../../../ui/text-button.tsx';
import { VisuallyHidden } from '../../../ui/visually-hidden.tsx';
import { Detail, IconLine } from '../../account/icon-line.part.tsx';
import { useTimes } from '../../account/lines.part.tsx';
import { ConfirmAction } from '../../account/second-step/confirm-action.part.tsx';
import { type addPasskey, removePasskey } from '../passkeys.contract.ts';
import { RenamePasskey } from './rename-passkey.part.tsx';

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
export function PasskeyLine({ passkey, begun, renamed, removed }: PasskeyLineProps) {
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
            <Text id="security.passkey_created" dir="auto" values={{ when: day(created) }} />
            {' · '}
            {used === null ? (
              <Text id="security.passkey_unused" />
            ) : (
              <Text id="account.session_used" dir="auto" values={{ when: when(used) }} />
            )}
          </Detail>
        </>
      }
      actions={
        form === undefined && (
          <>
            {opener('rename', <Text id="security.rename" />)}
            {opener('remove', <Text id="account.forget_device" />)}
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
