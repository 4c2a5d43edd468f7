import type { AdapterPayload } from 'oidc-provider';
import { countGuess } from '../../../access/guesses.ts';
import { type Refusing, refuse, tooMuch } from '../../../contract/failures.ts';
import { addScopes, type Scope, splitScopes } from '../../../contract/openid-scopes.ts';
import { enqueueCapped } from '../../../outbox/enqueue-email.ts';
import type { Service } from '../../../server/service.ts';
import { lockSignedInAccount } from '../../../store/access/session-owner.ts';
import { findSession } from '../../../store/access/sessions.ts';
import type { AccountsTable } from '../../../store/accounts/accounts.ts';
import { recordActivity } from '../../../store/accounts/activity-log.ts';
import { type Client, findClient } from '../../../store/applications/clients.ts';
import { findRecordByUserCode, replacePayload } from '../../../store/applications/openid-records.ts';
import { deviceName } from '../../../store/browser-names.ts';
import type { Visitor } from '../../../store/visitor.ts';
import { userCodeHash } from '../provider/adapter.ts';
import { authenticationOf } from '../provider/claims.ts';
import { claimsFor, grantScopes } from '../provider/grants.ts';
import { mayEnter } from '../provider/next-step.ts';
import * as contract from './connect.contract.ts';
import { describeApis, requestedIn } from './connect.ts';

const refusedByUser = 'access_denied';

interface DeviceRequest {
  readonly client: Client;
  readonly scopes: readonly Scope[];
  /** The scopes of each API. */
  readonly resources: Readonly<Record<string, string>>;
  readonly key: string;
  readonly written: string;
  /** Nobody has decided it. */
  readonly isOpen: boolean;
  readonly payload: AdapterPayload;
}

/** The request of a device that shows this code, even if it is decided; undefined if there is none. */
async function findDeviceRequest(
  { store, now }: Pick<Service, 'store' | 'now'>,
  userCode: string,
): Promise<DeviceRequest | undefined> {
  const plain = userCode.replaceAll('-', '');
  const record = await findRecordByUserCode(store, { userCode: userCodeHash(plain), now: now() });
  if (!record) return undefined;
  const payload: AdapterPayload = JSON.parse(record.payload);
  const client = await findClient(store, payload.clientId ?? '');
  if (!client?.usesDeviceFlow) return undefined;
  return {
    client,
    ...requestedIn(payload.params, client),
    key: record.key,
    written: record.payload,
    isOpen: record.consumed_at === null && payload.accountId === undefined && payload.error === undefined,
    payload,
  };
}

/** Whether the request already has this decision of this account: the response to it was lost. */
const isRepeated = ({ payload }: DeviceRequest, { allow, accountId }: DeviceDecision): boolean =>
  allow ? payload.accountId === accountId : payload.error === refusedByUser;

interface EnteredCode {
  readonly userCode: string;
  readonly accountId: string;
  readonly visitor: Visitor;
}

/** Counts a code that a signed-in user entered, until it turns out to be right. Refuses with `too_many_requests`. */
const countCode = (
  service: Service,
  endpoint: Refusing<'too_many_requests'>,
  { accountId, visitor: from }: EnteredCode,
) =>
  countGuess(service, {
    limit: service.userCodeGuesses,
    from,
    owner: async () => accountId,
    refusal: (wait) => tooMuch(endpoint, 'too_many_requests', wait),
  });

/** Describes the device that shows this code. Refuses with `device_code_unknown` or `email_cannot_be_used`. */
export async function describeDevice(service: Service, entered: EnteredCode) {
  const uncount = await countCode(service, contract.readDevice, entered);
  const request = await findDeviceRequest(service, entered.userCode);
  if (!request?.isOpen) throw refuse(contract.readDevice, 'device_code_unknown');
  if (!(await mayEnter(service, request.client, entered.accountId)))
    throw refuse(contract.readDevice, 'email_cannot_be_used');
  uncount();
  const apis = await describeApis(service, request.resources);
  return { app: request.client.name, scopes: [...request.scopes], apis };
}

interface DeviceDecision extends EnteredCode {
  readonly allow: boolean;
  readonly sessionId: string;
}

/** Lets the device in, or refuses it. Exactly one decision counts; it may be repeated. */
export async function decideDevice(service: Service, decision: DeviceDecision): Promise<void> {
  const { userCode, allow, accountId, sessionId, visitor } = decision;
  const { store } = service;
  const uncount = await countCode(service, contract.decideDevice, decision);
  const request = await findDeviceRequest(service, userCode);
  if (!request) throw refuse(contract.decideDevice, 'device_code_unknown');
  if (!request.isOpen) {
    if (!isRepeated(request, decision)) throw refuse(contract.decideDevice, 'device_code_unknown');
    return uncount();
  }
  const { client, scopes, resources, key, written: from, payload } = request;
  if (!(await mayEnter(service, client, accountId))) throw refuse(contract.decideDevice, 'email_cannot_be_used');
  await store.transaction().execute(async (trx) => {
    const signedIn = { endpoint: contract.decideDevice, accountId, sessionId, now: service.now() };
    const account = await lockSignedInAccount(trx, signedIn);
    // The same decision, sent twice at once.
    const decided = await findDeviceRequest({ store: trx, now: service.now }, userCode);
    if (decided && isRepeated(decided, decision)) return;
    const to = allow
      ? await allowed()
      : { fields: { error: refusedByUser, errorDescription: 'the user refused' }, grantId: null };
    const replaced = await replacePayload(trx, {
      key,
      from,
      to: JSON.stringify({ ...payload, ...to.fields }),
      grantId: to.grantId,
    });
    if (!replaced) throw refuse(contract.decideDevice, 'device_code_unknown');

    async function allowed() {
      const session = await findSession(trx, sessionId);
      if (!session) throw refuse(contract.decideDevice, 'device_code_unknown');
      const now = service.now();
      const granting = {
        accountId,
        client,
        sessionId: undefined,
        approvedIn: sessionId,
        scopes,
        resources,
        visitor,
        now,
      };
      const granted = await grantScopes(trx, granting);
      if (!granted) throw refuse(contract.decideDevice, 'email_cannot_be_used');
      const { id: grantId, sid } = granted;
      const claims = client.claimsInIdToken ? { claims: { id_token: claimsFor(scopes) } } : {};
      await notifyOwner({ account, at: now });
      const all = addScopes('', [...scopes, ...Object.values(resources).flatMap(splitScopes)]);
      const uris = Object.keys(resources);
      const resource = uris.length > 1 ? uris : uris[0];
      return {
        fields: { accountId, grantId, sid, scope: all, resource, ...authenticationOf(session), ...claims },
        grantId,
      };
    }

    /** The device stays signed in after the browser. */
    async function notifyOwner({ account, at }: { account: AccountsTable; at: number }) {
      await recordActivity(trx, { accountId, at, kind: 'device_let_in', visitor });
      // Only to a proven address: otherwise someone could enter a victim's address and flood the mailbox.
      if (account.email_proven_at === null) return;
      const place = service.geoip.of(visitor.ip, account.locale);
      const from = { device: deviceName(visitor.userAgent), ip: visitor.ip, place, when: at };
      await enqueueCapped(trx, { notice: 'device_let_in', params: { app: client.name, ...from }, account, at });
    }
  });
  uncount();
  service.outbox.wake();
}
