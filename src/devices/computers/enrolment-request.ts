import { reauthenticate } from '../../access/prove-password.ts';
import { refuseField, tooMuch } from '../../contract/failures.ts';
import { type Authentication, stepUpLifetime } from '../../contract/sign-in/admission.ts';
import { hours } from '../../contract/units.ts';
import type { Service } from '../../server/service.ts';
import { renewAuthentication } from '../../store/access/sign-in-lookup.ts';
import { countRequest, limitKey } from '../../store/rate-limits.ts';
import type { Visitor } from '../../store/visitor.ts';
import type { requestEnrolment } from '../contract/computers.ts';
import type { createEnrolmentKey } from '../contract/enrolment-keys.ts';

/** Enough to add a whole office. */
const codesAnHour = 120;

export interface EnrolmentRequest extends Authentication {
  readonly accountId: string;
  readonly sessionId: string;
  /** Required unless the owner proved a few minutes ago who they are. */
  readonly password: string | undefined;
  readonly visitor: Visitor;
}

type Offering = typeof requestEnrolment | typeof createEnrolmentKey;

/** Verifies the password if the last proof of identity is too old. */
export async function proveIdentityAgain(
  service: Service,
  endpoint: Offering,
  request: EnrolmentRequest,
): Promise<void> {
  const { accountId, sessionId, password, authTime, amr, acr, visitor: from } = request;
  const { store, now } = service;
  if (authTime > now() - stepUpLifetime) return;
  if (password === undefined) throw refuseField(endpoint, { field: 'password', code: 'password_required' });
  await reauthenticate(service, { endpoint, accountId, authTime, password, from }, () =>
    renewAuthentication(store, sessionId, { authTime: now(), amr, acr }),
  );
}

/** Counts a code or key of an account. */
export async function countEnrolment({ store, now }: Service, endpoint: Offering, accountId: string): Promise<void> {
  const limit = { key: limitKey('enrolment', accountId), limit: codesAnHour, within: hours(1) };
  const counted = await countRequest(store, [limit], now());
  if (counted.state === 'refused') throw tooMuch(endpoint, 'too_many_requests', counted.freeAt - now());
}
