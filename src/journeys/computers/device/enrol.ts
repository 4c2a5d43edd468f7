import { reauthenticate } from '../../../access/reauthenticate.ts';
import { requestEnrolment as endpoint } from '../../../contract/computers/enrolments.ts';
import { hours } from '../../../contract/durations.ts';
import { type Refusing, refuse, refuseField, tooMuch } from '../../../contract/refuse.ts';
import { type Authentication, stepUpLifetime } from '../../../contract/sign-in/authentication.ts';
import { enqueueBatched } from '../../../outbox/delivery/batch-notices.ts';
import { randomSecret, sha256 } from '../../../security/secrets.ts';
import type { Service } from '../../../server/service.ts';
import { renewAuthentication } from '../../../store/access/authentication.ts';
import { lockSignedInAccount } from '../../../store/access/session-owner.ts';
import { findAccount, lockAccountRow } from '../../../store/accounts/accounts.ts';
import { notify } from '../../../store/accounts/notifications.ts';
import { addComputer, countComputers } from '../../../store/computers/computers.ts';
import { enrolmentLifetime, enrolments } from '../../../store/computers/enrolments.ts';
import type { StoreTransaction } from '../../../store/database.ts';
import { limitKey } from '../../../store/rate-limit-keys.ts';
import { countRequest } from '../../../store/rate-limits.ts';
import type { Visitor } from '../../../store/visitor.ts';
import { recordEvent } from '../../../store/webhooks/record-event.ts';
import { platformName } from '../platform-name.ts';
import { enrol as contract } from './device.contract.ts';
import { deviceTokens, findEnrolled } from './device-tokens.ts';
import { enrolmentHash, newEnrolmentCode } from './enrolment-code.ts';
import { historyWithHeartbeat, withHeartbeat } from './heartbeat-history.ts';

/** Enough to add a whole office. */
const codesAnHour = 120;

interface EnrolmentRequest extends Authentication {
  readonly accountId: string;
  readonly sessionId: string;
  /** Required unless the owner proved a few minutes ago who they are. */
  readonly password: string | undefined;
  readonly visitor: Visitor;
}

/**
 * Creates a code that adds one computer. A computer stays in the account for good, so a browser left open gets no code
 * without the password. Earlier codes stay valid: someone may be typing one right now. `lifetime` in milliseconds.
 */
export async function requestEnrolment(service: Service, request: EnrolmentRequest) {
  const { accountId, sessionId, password, authTime, amr, acr, visitor: from } = request;
  const { store, now } = service;
  if (authTime <= now() - stepUpLifetime) {
    if (password === undefined) throw refuseField(endpoint, { field: 'password', code: 'password_required' });
    await reauthenticate(service, { endpoint, accountId, authTime, password, from }, () =>
      renewAuthentication(store, sessionId, { authTime: now(), amr, acr }),
    );
  }
  const limit = { key: limitKey('enrolment', accountId), limit: codesAnHour, within: hours(1) };
  const counted = await countRequest(store, [limit], now());
  if (counted.state === 'refused') throw tooMuch(endpoint, 'too_many_requests', counted.freeAt - now());
  const code = newEnrolmentCode();
  await store.transaction().execute(async (trx) => {
    const at = now();
    await lockSignedInAccount(trx, { endpoint, accountId, sessionId, now: at });
    await requireRoom(trx, { endpoint, accountId, limit: service.config.COMPUTERS_PER_ACCOUNT });
    await enrolments.add(trx, { code_hash: enrolmentHash(code), account_id: accountId, created_at: at });
  });
  return { code, lifetime: enrolmentLifetime };
}

interface ComputerLimit {
  readonly endpoint: Refusing<'computer_limit_reached'>;
  readonly accountId: string;
  readonly limit: number;
}

/** Throws `computer_limit_reached` if the account has as many computers as it may have. Hold the account's row. */
async function requireRoom(trx: StoreTransaction, { endpoint, accountId, limit }: ComputerLimit): Promise<void> {
  if ((await countComputers(trx, accountId)) >= limit) throw refuse(endpoint, 'computer_limit_reached', { limit });
}

interface EnrolmentAttempt {
  readonly code: string;
  readonly attempt?: string | undefined;
  readonly name: string;
  readonly platform: string;
  readonly visitor: Visitor;
}

/**
 * Adds the computer that presents a valid code, once; a repeated request of the same agent gets the same computer.
 * Refuses any other code with `enrolment_invalid`. At the limit of the account, the code stays valid: its owner may
 * remove a computer.
 */
export async function enrol(service: Service, { code, attempt, name, platform, visitor }: EnrolmentAttempt) {
  const now = service.now();
  const id = randomSecret(128);
  const codeHash = enrolmentHash(code);
  const tokens = deviceTokens(service, { codeHash, attempt });
  const [token] = tokens;
  const enrolled = await service.store.transaction().execute(async (trx) => {
    const owner = (await enrolments.use(trx, { code_hash: codeHash }, now))?.account_id;
    if (owner === undefined) {
      const made = await findEnrolled(trx, { tokens, now });
      if (!made) throw refuse(contract, 'enrolment_invalid');
      return { accountId: made.computer.account_id, computer: made.computer.id, device_token: made.token };
    }
    await lockAccountRow(trx, owner);
    const account = await findAccount(trx, owner);
    if (!account || account.delete_at !== null || account.locked_at !== null)
      throw refuse(contract, 'enrolment_invalid');
    const limit = service.config.COMPUTERS_PER_ACCOUNT;
    await requireRoom(trx, { endpoint: contract, accountId: owner, limit });
    await addComputer(trx, {
      id,
      account_id: owner,
      name,
      platform,
      token_hash: sha256(token),
      created_at: now,
      last_seen_at: now,
      signs: withHeartbeat({ signs: '', last_seen_at: now }, now),
      history: historyWithHeartbeat({ signs: '', history: '', last_seen_at: now }, now),
    });
    await notify(trx, { account_id: owner, at: now, kind: 'computer_added', name });
    const data = { computer: { id, name, platform } };
    await recordEvent(trx, { type: 'computer.added', accountId: owner, at: now, data });
    // Only to a proven address: otherwise someone could enter a victim's address and flood the mailbox.
    if (account.email_proven_at !== null) {
      const item = { computer: name, device: platformName(platform), ip: visitor.ip, when: now };
      await enqueueBatched(trx, { notice: 'computer_added', item, account, at: now });
    }
    return { accountId: owner, computer: id, device_token: token };
  });
  service.outbox.wake();
  return enrolled;
}
