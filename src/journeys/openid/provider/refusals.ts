import type { Service } from '../../../server/service.ts';
import { recordRefusal } from '../../../store/applications/client-refusals.ts';

/** Why a request was refused, for operators. */
export interface Refusal {
  /** The error of the protocol, such as `invalid_grant`. */
  readonly code: string;
  /** What was used again although it works once: a code, or a refresh token of which someone has a copy. */
  readonly reason: 'reused' | undefined;
  /** As the library says it; one of a fixed number of texts. */
  readonly explanation: string;
  /** The wrong value of a parameter that holds no secret; otherwise empty. */
  readonly value: string;
}

/** Refusals that belong to the protocol: no operator needs to act on them. */
const ordinary: ReadonlySet<string> = new Set([
  'authorization_pending',
  'slow_down',
  'login_required',
  'consent_required',
  'interaction_required',
]);

interface Refused {
  /** The id of a client. */
  readonly client: string;
  readonly refusal: Refusal;
  readonly route: string;
  /** Finds the request in the log. */
  readonly reference: string;
}

/** Keeps a refusal for `vestibule clients why`. */
export async function keepRefusal(
  { store, storedRefusals, now }: Pick<Service, 'store' | 'storedRefusals' | 'now'>,
  { client, refusal: { code, explanation, value }, route, reference }: Refused,
): Promise<void> {
  const origin = { source: client, networks: [] };
  if (ordinary.has(code) || storedRefusals.wait(origin) > 0) return;
  storedRefusals.count(origin);
  const kept = { client_id: client, code, explanation, value, route, reference, at: now() };
  // The log has the refusal, which is right in any case.
  await recordRefusal(store, kept).catch(() => undefined);
}
