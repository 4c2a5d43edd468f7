import { useEffect, useState } from 'react';
import { usePage } from '../../browser/navigation/page.tsx';
import type { UsedPasskey } from '../../browser/passkeys/ceremony.ts';
import { useRequest } from '../../browser/requests/request-status.ts';

interface PasskeySignIn {
  /** The computer is shared with others, so browsers offer no passkey by themselves. */
  readonly shared: boolean;
  readonly dbType: string | undefined;
  /** Called when the server has signed the user in. */
  readonly granted: () => void;
}

/** Signs in with a passkey: one that the user picks from the browser's suggestions for the form, or after a click. */
export function usePasskeySignIn({ shared, dbType, granted }: PasskeySignIn) {
  const { language, settings } = usePage();
  const load = () => import('../passkeys/sign-in/sign-in-with-passkey.part.ts');
  const request = useRequest(async (signal, picked?: UsedPasskey) => {
    const { signInWithPasskey } = await load();
    await signInWithPasskey({ signal, picked, shared, dbType, language, granted });
  });
  const [isOffered, setOffered] = useState(settings.passkeys);
  useEffect(() => setOffered(settings.passkeys && 'PublicKeyCredential' in window), [settings]);
  const suggests = isOffered && !shared && request.state !== 'pending';
  // biome-ignore lint/correctness/useExhaustiveDependencies: `start` depends on nothing that changes
  useEffect(() => {
    if (!suggests || !('PublicKeyCredential' in window)) return;
    const offer = load().then(({ offerPasskeys }) => offerPasskeys((picked) => void request.start(picked)));
    return () => void offer.then((end) => end(), console.error);
  }, [suggests]);
  return { isOffered, request };
}
