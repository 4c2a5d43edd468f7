import { decodeJwt } from 'jose';
import type { AdapterPayload } from 'oidc-provider';
import { knownScopes, type Scope } from '../../../contract/openid-scopes.ts';
import type { Service } from '../../../server/service.ts';
import { type Client, findClient } from '../../../store/applications/clients.ts';
import { findRecord, replacePayload } from '../../../store/applications/openid-records.ts';
import { recordKey } from '../provider/adapter.ts';
import type { StepResult } from '../provider/next-step.ts';

/** A request of an application that waits for a person. */
export interface PendingRequest {
  readonly id: string;
  readonly client: Client;
  readonly scopes: readonly Scope[];
  /** The decision that it waits for (`provider/policy.ts`). */
  readonly prompt: string;
  /** Seconds since the epoch. */
  readonly begun: number;
  readonly redirectUri: string;
  /** The account that the application expects (`id_token_hint`). */
  readonly hinted: string | undefined;
  readonly turns: number;
  /** The path that continues it. */
  readonly to: string;
  /** Stores what our page decided; false if another tab was first. */
  finish(result: StepResult | { readonly error: string; readonly error_description: string }): Promise<boolean>;
}

/** The request with this id; undefined if it is finished, has expired or never existed. */
export async function findPendingRequest(
  { store, now }: Pick<Service, 'store' | 'now'>,
  id: string,
): Promise<PendingRequest | undefined> {
  const key = recordKey('Interaction', id);
  const record = await findRecord(store, { key, now: now() });
  if (!record) return undefined;
  const payload: AdapterPayload = JSON.parse(record.payload);
  const client = await findClient(store, String(payload.params?.client_id));
  if (!client) return undefined;
  const former = (payload.lastSubmission ?? {}) as StepResult;
  const begun = former.begun ?? payload.iat ?? 0;
  return {
    id,
    client,
    scopes: knownScopes(String(payload.params?.scope ?? '')),
    prompt: payload.prompt?.name ?? '',
    begun,
    redirectUri: String(payload.params?.redirect_uri ?? ''),
    hinted: subjectIn(payload.params?.id_token_hint),
    turns: former.turns ?? 0,
    to: `/oidc/auth/${id}`,
    finish: (result) =>
      replacePayload(store, {
        key,
        from: record.payload,
        to: JSON.stringify({
          ...payload,
          result: 'error' in result ? result : { ...former, begun, turns: (former.turns ?? 0) + 1, ...result },
        }),
        grantId: null,
      }),
  };
}

/** The subject of an ID token, which the provider has verified. */
function subjectIn(token: unknown): string | undefined {
  if (typeof token !== 'string') return undefined;
  return decodeJwt(token).sub;
}
