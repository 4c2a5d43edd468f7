import { useEffect, useState } from 'react';
import { Text } from '../../../browser/language/text.tsx';
import { hasPasskeys } from '../../../browser/passkeys/passkey-support.ts';
import { signalAcceptedPasskeys, signalPasskeyOwner } from '../../../browser/passkeys/signals.ts';
import { notifyAccountChanged, useAccountChanges } from '../../../browser/requests/account-changes.ts';
import { useRequest } from '../../../browser/requests/request-status.ts';
import { sendRequest } from '../../../browser/requests/send-request.ts';
import type { readAccount } from '../../../contract/account.ts';
import type { ResponseBody } from '../../../contract/endpoint.ts';
import { Button } from '../../../ui/button.tsx';
import { Notice } from '../../../ui/feedback/notice.tsx';
import { Card } from '../../../ui/layouts/card.tsx';
import { Lines } from '../../account/lines.part.tsx';
import { Unread, useRead } from '../../account/read.part.tsx';
import { addNewPasskey } from '../add/add-passkey.part.ts';
import { CreationFailed } from '../add/creation-failed.part.tsx';
import { listPasskeys } from '../passkeys.contract.ts';
import { PasskeyLine } from './passkey-line.part.tsx';
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
  const isSettled = read.answer !== undefined || read.failure !== undefined;
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
  const passkeys = read.answer ?? [];
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
        <h2 tabIndex={-1}>
          <Text id="security.passkeys" />
        </h2>
        <p>
          <Text id="security.passkeys_text" />
        </p>
        {supported && (
          <Button
            label="security.passkey_add"
            quiet
            narrow
            busy={adding.state === 'pending' ? 'form.wait' : undefined}
            onClick={() => void adding.start()}
            retry={adding.restart}
          />
        )}
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
        {said === 'added' && (
          <Notice kind="success" role="status">
            <Text id="security.passkey_added" />
          </Notice>
        )}
        {said === 'renamed' && (
          <Notice kind="success" role="status">
            <Text id="account.saved" />
          </Notice>
        )}
        {said === 'removed' && (
          <Notice kind="success" role="status">
            <Text id="security.passkey_removed" />
          </Notice>
        )}
        {said === 'canceled' && (
          <Notice kind="info" role="status">
            <Text id="passkey.canceled" />
          </Notice>
        )}
        <CreationFailed failure={adding.error} />
        {!supported && (
          <p>
            <Text id="passkey.unsupported" />
          </p>
        )}
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
