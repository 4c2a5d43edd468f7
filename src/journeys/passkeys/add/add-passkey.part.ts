import { createPasskey } from '../../../browser/passkeys/ceremony.ts';
import { signalUnknownPasskey } from '../../../browser/passkeys/signals.ts';
import { RequestFailure } from '../../../browser/requests/request-failure.ts';
import { sendRequest } from '../../../browser/requests/send-request.ts';
import type { ResponseBody } from '../../../contract/endpoint.ts';
import { addPasskey, newPasskeyChallenge } from '../passkeys.contract.ts';

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
