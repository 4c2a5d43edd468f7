import {
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  startAuthentication,
  startRegistration,
  WebAuthnAbortService,
} from '@simplewebauthn/browser';
import type * as z from 'zod/mini';
import type { createdPasskey, creationOptions, requestOptions, usedPasskey } from '../../contract/sign-in/web-authn.ts';
import { RequestFailure, waitForUser } from '../requests/request-status.ts';

export type UsedPasskey = z.input<typeof usedPasskey>;
export type CreatedPasskey = z.input<typeof createdPasskey>;

/** How a ceremony ends if the user cancels it, if it times out, or if another one replaces it. */
const unfinished = ['NotAllowedError', 'AbortError', 'TimeoutError'];

/**
 * Asks the browser for a passkey; with `autofill`, among the suggestions of the email field. Starting a ceremony aborts
 * the previous one. Resolves to undefined if the user chose none.
 */
export async function pickPasskey(
  options: z.output<typeof requestOptions>,
  { autofill = false, signal }: { autofill?: boolean; signal?: AbortSignal | undefined } = {},
): Promise<UsedPasskey | undefined> {
  const optionsJSON = options as PublicKeyCredentialRequestOptionsJSON;
  const used = startAuthentication({ optionsJSON, useBrowserAutofill: autofill });
  return (await settled(used, { inBackground: autofill, signal })) as UsedPasskey | undefined;
}

/**
 * Creates a passkey; with `automatic`, without a prompt (conditional creation). Resolves to undefined if the user or the
 * browser created none. Throws `passkey_exists` if the device has one of the account’s.
 */
export async function createPasskey(
  options: z.output<typeof creationOptions>,
  { automatic = false, signal }: { automatic?: boolean; signal?: AbortSignal | undefined } = {},
): Promise<CreatedPasskey | undefined> {
  const optionsJSON = options as PublicKeyCredentialCreationOptionsJSON;
  const created = startRegistration({ optionsJSON, useAutoRegister: automatic });
  return (await settled(created, { inBackground: automatic, signal })) as CreatedPasskey | undefined;
}

interface Ceremony {
  /** The browser shows no dialog. */
  readonly inBackground: boolean;
  readonly signal: AbortSignal | undefined;
}

async function settled<Credential>(ceremony: Promise<Credential>, { inBackground, signal }: Ceremony) {
  const stop = () => WebAuthnAbortService.cancelCeremony();
  const waited = inBackground ? undefined : waitForUser('passkey');
  signal?.addEventListener('abort', stop);
  try {
    return await ceremony;
  } catch (error) {
    const { name } = error as Error;
    signal?.throwIfAborted();
    if (unfinished.includes(name)) return undefined;
    if (!inBackground && name !== 'InvalidStateError') console.error(error);
    throw refusalOf(name);
  } finally {
    waited?.();
    signal?.removeEventListener('abort', stop);
  }
}

/** The account’s passkey is on the device already, or the browser refuses, for example for a foreign domain. */
const refusalOf = (name: string) =>
  new RequestFailure(0, { code: name === 'InvalidStateError' ? 'passkey_exists' : 'passkey_refused' });
