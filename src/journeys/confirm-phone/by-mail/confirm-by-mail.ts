import { refuse } from '../../../contract/failures.ts';
import { type LanguageCode, pathIn } from '../../../contract/languages.ts';
import { enqueueEmail } from '../../../outbox/enqueue-email.ts';
import { isMacOfCode, macOfCode, randomSecret, sha256 } from '../../../security/macs.ts';
import type { Service } from '../../../server/service.ts';
import { emailKey } from '../../../store/accounts/accounts.ts';
import { beginLink, confirmationLinkLifetime, takeLinkTry } from '../../../store/calls/confirmation-links.ts';
import { confirmCall, findCall, isUsable, type PhoneCallsTable } from '../../../store/calls/phone-calls.ts';
import type { StoreTransaction } from '../../../store/database.ts';
import { refundHits } from '../../../store/rate-limits.ts';
import type { Visitor } from '../../../store/visitor.ts';
import { countConfirmationEmail, TooManyCalls } from '../calls/call-rate-limits.ts';
import { requirePhone } from '../calls/place-call.ts';
import { findRepeatedRequest, keptAttempt, triesPerCall, waitingFor } from '../calls/repeated-request.ts';
import { confirmMail, requestMail } from '../confirm-phone.contract.ts';
import { confirmationOf } from '../confirm-phone.ts';

interface ConfirmationEmailRequest {
  readonly phone: string;
  readonly email: string;
  readonly locale: LanguageCode;
  readonly visitor: Visitor;
  /** SHA-256 of the requesting browser's cookie. */
  readonly browser: string;
  readonly attempt?: string | undefined;
}

/**
 * Emails a link to a user who cannot take a call, if the operator allows it. It proves that we can reach the user, not
 * that the number is theirs: the account's phone stays unconfirmed.
 */
export async function sendConfirmationEmail(service: Service, request: ConfirmationEmailRequest) {
  const { email, visitor } = request;
  const phone = requirePhone(requestMail, request);
  const now = service.now();
  const key = { ...request, phone, way: 'mail' } as const;
  const response = await service.store.transaction().execute(async (trx) => {
    const counted = await countConfirmationEmail(trx, service, { emailHash: sha256(emailKey(email)), visitor });
    // After counting, which serializes concurrent requests: the first of them is then visible here.
    const repeated = await findRepeatedRequest({ store: trx, now: service.now }, requestMail, key);
    if (repeated && counted.state === 'counted') await refundHits(trx, counted.hits);
    if (repeated) return repeated;
    if (counted.state === 'refused') throw new TooManyCalls(counted.freeAt - now);
    return waitingFor(await postLink(service, trx, key), confirmationLinkLifetime);
  });
  service.outbox.wake();
  return response;
}

/** Returns the id of the link, which replaces a call's id. */
async function postLink(
  service: Service,
  trx: StoreTransaction,
  request: ConfirmationEmailRequest & { readonly way: 'mail' },
): Promise<string> {
  const { phone, email, locale, visitor, browser } = request;
  const now = service.now();
  const id = randomSecret(128);
  const secret = randomSecret(256);
  const link = new URL(pathIn(locale, '/confirm-mail/'), service.config.PUBLIC_URL);
  link.searchParams.set('call', id);
  link.searchParams.set('hash', secret);
  const account = { email, name: email, locale };
  const outboxId = await enqueueEmail(trx, {
    notice: 'confirm_mail',
    params: { link: link.href },
    account,
    at: now,
    secrets: service.secrets,
  });
  const proof = macOfCode(service.keyring.calls[0] as Buffer, id, secret);
  await beginLink(trx, {
    id,
    phone,
    proof,
    locale,
    attempts_left: triesPerCall,
    source: visitor.source,
    browser,
    created_at: now,
    attempt: keptAttempt(request),
    outboxId,
  });
  return id;
}

/** Confirms by a link's secret. A repeated request with the same secret, after a lost response, also succeeds. */
export async function confirmByEmail(service: Service, { call: id, secret }: { call: string; secret: string }) {
  const now = service.now();
  const call = (await takeLinkTry(service.store, { id, now })) ?? (await alreadyConfirmed(service, id));
  if (!call?.proof || !isMacOfCode(service.keyring.calls, call.proof, { id, code: secret }))
    throw refuse(confirmMail, 'confirmation_link_expired');
  await confirmCall(service.store, { id, proof: call.proof, now });
  return confirmationOf(service, call);
}

async function alreadyConfirmed({ store, now }: Service, id: string): Promise<PhoneCallsTable | undefined> {
  const call = await findCall(store, id);
  return call?.way === 'mail' && call.state === 'confirmed' && isUsable(call, now()) ? call : undefined;
}
