import type { AdmissionResult, Admitted, SignInPending } from '../contract/sign-in/authentication.ts';
import { randomSecret, sha256 } from '../security/secrets.ts';
import type { Service } from '../server/service.ts';
import { needsSecondStep } from '../store/access/sign-in-methods.ts';
import type { AccountsTable } from '../store/accounts/accounts.ts';
import type { StoreTransaction } from '../store/database.ts';
import { distrustedAtReset, reportRemoved } from './added-credentials.ts';
import { type Admission, authenticationBy } from './admission.ts';
import { type Method, methods } from './methods.ts';
import { notifyOfEntry } from './notify-owner.ts';
import { beginSession, type Entry, recordEntry } from './record-entry.ts';
import { beginSecondStep } from './second-step/begin-second-step.ts';
import { shutOut } from './shut-out.ts';

/** The parts of the service that admission uses. */
type AdmissionDeps = Pick<Service, 'store' | 'now' | 'geoip'> & {
  readonly config: Pick<Service['config'], 'SECOND_STEP' | 'relyingParty'>;
  readonly outbox: Pick<Service['outbox'], 'wake'>;
};

/**
 * Admits a person: the only path from a proof to a session, a known device, records and emails. HTTP turns the result
 * into cookies and tokens (`http/session/grant-session.ts`).
 */
export async function admit(service: AdmissionDeps, admission: Admission): Promise<AdmissionResult> {
  const { browser, isKnown } = admission;
  const sessionId = randomSecret(128);
  // A token that someone planted in this browser must not become a known device.
  const deviceToken = (isKnown && browser.deviceToken) || randomSecret(256);
  const entry = { ...admission, sessionId, deviceHash: sha256(deviceToken), now: service.now() };
  const entered = await enter(service, entry);
  if ('pending' in entered) return entered;
  return {
    ...entered,
    ...authenticationBy(admission.proof, entry.now),
    sessionId,
    deviceToken: browser.shared ? undefined : deviceToken,
    shared: browser.shared === true,
  };
}

type Entered = Pick<Admitted, 'accountId' | 'deletionCanceled'>;

async function enter(service: AdmissionDeps, entry: Entry): Promise<Entered | SignInPending> {
  const { proof, isKnown, now } = entry;
  const { beginsSession } = methods[proof.method];
  const admitted = await service.store.transaction().execute(async (trx) => {
    const account = await proof.redeem(trx, now);
    const { isCleared, endedSecondStep } = await shutOutOthers(service, trx, { ...entry, account });
    const { acr } = authenticationBy(proof, now);
    const isHalfProven = !endedSecondStep && acr === 'aal1' && needsSecondStep(service, account);
    if (beginsSession && isHalfProven) {
      const { browser, dbType } = entry;
      const first = { account, method: proof.method, browser, dbType, now };
      const pending = await beginSecondStep(service, trx, first);
      if (pending) return pending;
    }
    await proof.establish?.(trx, { account, isCleared, now });
    await recordEntry(trx, account, { ...entry, isHalfProven });
    if (beginsSession) {
      await beginSession(trx, account, entry);
      const { notifiesNewDevice = false }: Method = methods[proof.method];
      const isNewDevice = notifiesNewDevice && !isKnown;
      await notifyOfEntry(service, trx, { account, isCleared, isNewDevice, visitor: entry.browser.visitor, at: now });
    }
    return { accountId: account.id, deletionCanceled: beginsSession && account.delete_at !== null };
  });
  // A sign-in from a known browser rarely causes emails, and those leave within a second anyway.
  if (!isKnown) service.outbox.wake();
  return admitted;
}

/** Returns whether it removed entries that a stranger may have made, and whether it removed a stranger's second step. */
async function shutOutOthers(
  service: AdmissionDeps,
  trx: StoreTransaction,
  { account, proof, isKnown, browser, now: at }: Entry & { readonly account: AccountsTable },
) {
  const { provesEmail, shutsOut }: Method = methods[proof.method];
  // A stranger may have registered with this address: its first owner reads its email, in an unknown browser.
  const isCleared = provesEmail === true && account.email_proven_at === null && !isKnown;
  const cause = isCleared ? 'first_proof' : shutsOut;
  if (!cause) return { isCleared, endedSecondStep: false };
  const distrusted = cause === 'password_reset' ? await distrustedAtReset(trx, { accountId: account.id, at }) : [];
  const removed = await shutOut(trx, { account, cause, distrusted, at });
  // The email about a cleared account says that everything was removed.
  if (!isCleared) await reportRemoved(service, trx, { account, removed, visitor: browser.visitor, at });
  return { isCleared, endedSecondStep: isCleared || removed.secondStep };
}
