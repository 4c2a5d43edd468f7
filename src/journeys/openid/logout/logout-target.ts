import type { Service } from '../../../server/service.ts';
import { type Client, findClient } from '../../../store/applications/clients.ts';

export type LogoutTarget =
  /** `to` is undefined if the application does not ask to return. */
  | { readonly client: Client | undefined; readonly to: string | undefined }
  /** The client is unknown, or has not registered the URI. */
  | undefined;

/** Where a browser goes after a sign-out: only to a URI that its client has registered, character for character. */
export async function logoutTarget(
  { store }: Pick<Service, 'store'>,
  { clientId, uri, state }: { clientId: string | undefined; uri: string | undefined; state: string | undefined },
): Promise<LogoutTarget> {
  // Without a client, the URI is unregistered: the browser stays here.
  if (clientId === undefined) return { client: undefined, to: undefined };
  const client = await findClient(store, clientId);
  if (!client || (uri !== undefined && !client.postLogoutUris.includes(uri))) return undefined;
  if (uri === undefined) return { client, to: undefined };
  const to = new URL(uri);
  if (state !== undefined) to.searchParams.set('state', state);
  return { client, to: to.href };
}
