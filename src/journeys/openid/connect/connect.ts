import type { ResponseBody } from '../../../contract/endpoint.ts';
import { addScopes } from '../../../contract/openid-scopes.ts';
import { refuse } from '../../../contract/refuse.ts';
import type { Service } from '../../../server/service.ts';
import { lockSignedInAccount } from '../../../store/access/session-owner.ts';
import { findSession } from '../../../store/access/sessions.ts';
import { findClient } from '../../../store/applications/clients.ts';
import { connectClient, findConnection } from '../../../store/applications/connected-clients.ts';
import { authenticationOf } from '../provider/authentication.ts';
import { mayEnter } from '../provider/next-step.ts';
import { decide as decideContract, readApp, readRequest, readStep } from './connect.contract.ts';
import { findPendingRequest, type PendingRequest } from './pending-request.ts';

/** A request needs at most a sign-in, another one and a consent. */
const mostTurns = 5;

interface RequestUser {
  readonly id: string;
  readonly accountId: string;
  readonly sessionId: string;
}

/** The application of a request, for people who are not signed in yet. */
export async function describeRequest(service: Service, id: string): Promise<ResponseBody<typeof readRequest>> {
  const request = await findPendingRequest(service, id);
  if (!request) throw refuse(readRequest, 'not_found');
  return { app: request.client.name };
}

/** An application by its id, for people whom its guard has turned away. */
export async function describeApp({ store }: Service, id: string): Promise<ResponseBody<typeof readApp>> {
  const client = await findClient(store, id);
  if (!client) throw refuse(readApp, 'not_found');
  return { app: client.name };
}

/** The next step of a signed-in user; a request that only waited for a sign-in can continue. */
export async function describeStep(service: Service, deciding: RequestUser): Promise<ResponseBody<typeof readStep>> {
  const request = await findPendingRequest(service, deciding.id);
  if (!request) throw refuse(readStep, 'not_found');
  const step = await stepOf(service, request, deciding);
  if (step === 'continue') await request.finish({});
  const { client, scopes, to, redirectUri } = request;
  return { step, app: client.name, site: siteOf(redirectUri), scopes: [...scopes], to };
}

async function stepOf(
  service: Service,
  { prompt, client, begun, hinted, turns }: PendingRequest,
  { accountId, sessionId }: RequestUser,
): Promise<ResponseBody<typeof readStep>['step']> {
  if (prompt === 'login') {
    const isExpected = (hinted === undefined || hinted === accountId) && turns < mostTurns;
    return isExpected && (await isRecent(service, sessionId, begun)) ? 'continue' : 'sign_in_again';
  }
  if (!(await mayEnter(service, client, accountId))) return 'refused';
  return prompt === 'consent' ? 'consent' : 'continue';
}

/** Whether the session began, or its owner proved their identity, after the request. */
async function isRecent({ store }: Service, sessionId: string, begun: number): Promise<boolean> {
  const session = await findSession(store, sessionId);
  return session !== undefined && authenticationOf(session).authTime >= begun;
}

/** The host of a web application, or the scheme of an app: a name alone could be anyone's. */
function siteOf(redirectUri: string): string {
  const url = URL.parse(redirectUri);
  if (!url) return '';
  return url.host === '' ? url.protocol : url.host;
}

/** Stores the decision of a user. The browser then continues the request, which gets its code or a refusal. */
export async function decideRequest(
  service: Service,
  { id, accountId, sessionId, allow }: RequestUser & { readonly allow: boolean },
): Promise<ResponseBody<typeof decideContract>> {
  const request = await findPendingRequest(service, id);
  if (!request) throw refuse(decideContract, 'not_found');
  const { client, to, prompt } = request;
  if (!allow) {
    await request.finish({ error: 'access_denied', error_description: 'the user refused' });
    return { to };
  }
  if (prompt !== 'consent') throw refuse(decideContract, 'not_found');
  if (!(await request.finish({ agreed: accountId }))) throw refuse(decideContract, 'not_found');
  await service.store.transaction().execute(async (trx) => {
    const at = service.now();
    // A user who was shut out meanwhile must not leave a consent behind.
    await lockSignedInAccount(trx, { endpoint: decideContract, accountId, sessionId, now: at });
    const former = await findConnection(trx, { accountId, clientId: client.id });
    const scopes = addScopes(former?.scopes ?? '', request.scopes);
    await connectClient(trx, { accountId, clientId: client.id, scopes, at });
  });
  return { to };
}
