import { useEffect, useState } from 'react';
import { Paragraph, Text } from '../../browser/language/text.tsx';
import { createPasskey } from '../../browser/passkeys/ceremony.ts';
import { passkeyCreation, signalUnknownPasskey } from '../../browser/passkeys/passkey-support.ts';
import { browserStorage, tabStorage } from '../../browser/platform/storage.ts';
import { RequestFailure, useRequest } from '../../browser/requests/request-status.ts';
import { sendRemoval, sendRequest } from '../../browser/requests/send-request.ts';
import { notifyAccountChanged } from '../../browser/requests/session.ts';
import type { ResponseBody } from '../../contract/endpoint.ts';
import { Button } from '../../ui/button.tsx';
import { Failed, FailureWords, Notice } from '../../ui/feedback/feedback.tsx';
import { Card, Heading } from '../../ui/layouts/card.tsx';
import { TextButton } from '../../ui/text-button.tsx';
import { ButtonRow } from '../account/layout/rows.part.tsx';
import { addPasskey, newPasskeyChallenge, removePasskey } from './passkeys.contract.ts';

/**
 * After a sign-in with a password, once in this browser: creates a passkey without a prompt where the browser can, and
 * offers one elsewhere. Never on a computer that others use.
 */
export function PasskeyOffer({ account: { id } }: { account: { readonly id: string } }) {
  const [state, set] = useState<'offered' | 'undone' | 'gone'>();
  const [made, setMade] = useState<ResponseBody<typeof addPasskey>>();
  const keep = (outcome: 'offered' | 'made' | 'declined') => browserStorage.write(`offered_passkey.${id}`, outcome);
  const automatic = useRequest(
    async (signal) => {
      const creation = await passkeyCreation();
      if (creation !== 'automatic') return creation && offer();
      const passkey = await addNewPasskey(true, signal);
      if (!passkey) return offer();
      keep('made');
      setMade(passkey);
      notifyAccountChanged();
    },
    {
      onError({ code }) {
        // The user did not ask for it, so a failure needs no message.
        if (code === 'passkey_exists') keep('made');
      },
    },
  );
  const creating = useRequest(async (signal) => {
    const passkey = await addNewPasskey(false, signal);
    if (!passkey) return;
    keep('made');
    setMade(passkey);
    notifyAccountChanged();
  });
  const offer = () => {
    keep('offered');
    set('offered');
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs once, on the first page after a sign-in
  useEffect(() => {
    const byPassword = tabStorage.read('entered_by') === 'password';
    if (!byPassword || browserStorage.read(`offered_passkey.${id}`) !== undefined) return;
    tabStorage.write('entered_by', undefined);
    void automatic.start();
  }, []);
  if (state === 'undone') return <Notice kind="success" role="status" text="security.passkey_removed" />;
  if (made)
    return (
      <PasskeyCreated
        id={made.id}
        removed={() => {
          keep('declined');
          set('undone');
        }}
      />
    );
  if (state !== 'offered') return null;
  return (
    <Card>
      <Heading text="passkey_offer.title" />
      <Paragraph id="passkey_offer.text" />
      <CreationFailed failure={creating.error} />
      <ButtonRow>
        <Button label="passkey_offer.create" narrow request={creating} />
        <Button
          label="passkey_offer.decline"
          quiet
          narrow
          onClick={() => {
            keep('declined');
            set('gone');
          }}
        />
      </ButtonRow>
    </Card>
  );
}

/** Confirms that the browser created a passkey without a prompt, and removes it if its owner wants that. */
function PasskeyCreated({ id, removed }: { id: string; removed: () => void }) {
  const undoing = useRequest(async (signal) => {
    await sendRemoval(removePasskey, { params: { id }, signal });
    signalUnknownPasskey(location.hostname, id);
    removed();
    notifyAccountChanged();
  });
  return (
    <Notice kind="success" role="status">
      <Paragraph id="passkey_offer.created" />
      <TextButton label="passkey_offer.undo" onClick={() => void undoing.start()} />
      {undoing.error && <FailureWords failure={undoing.error} />}
    </Notice>
  );
}

/**
 * Creates a passkey and adds it to the account; with `automatic`, without a prompt. Resolves to undefined if the user or
 * the browser created none. If the server refuses it, the browser forgets it again.
 */
export async function addNewPasskey(
  automatic: boolean,
  signal: AbortSignal,
): Promise<ResponseBody<typeof addPasskey> | undefined> {
  const options = await sendRequest(newPasskeyChallenge, { body: { automatic }, signal, isBackground: automatic });
  const credential = await createPasskey(options, { automatic, signal });
  if (!credential) return undefined;
  try {
    return await sendRequest(addPasskey, { body: { credential }, signal, isBackground: automatic });
  } catch (failure) {
    // Without a response, the server may have added it.
    if (failure instanceof RequestFailure && isRefusal(failure)) signalUnknownPasskey(options.rp.id, credential.id);
    throw failure;
  }
}

const isRefusal = ({ status = 0 }: RequestFailure): boolean => status >= 400 && status < 500;

/** Explains why no passkey was added. */
export function CreationFailed({ failure }: { failure: RequestFailure | undefined }) {
  if (failure?.code !== 'passkey_refused' || failure.limit === undefined) return <Failed failure={failure} />;
  return (
    <Notice kind="danger" role="alert">
      <Text id="security.passkey_limit" values={{ limit: failure.limit }} />
    </Notice>
  );
}
