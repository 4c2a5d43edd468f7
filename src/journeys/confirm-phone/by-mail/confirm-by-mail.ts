import { type LanguageCode, pathIn } from '../../../contract/languages.ts';
import { refuse } from '../../../contract/refuse.ts';
import { post } from '../../../outbox/post.ts';
import { isProof, proofOf } from '../../../security/answer-proofs.ts';
import { randomSecret, sha256 } from '../../../security/secrets.ts';
import type { Service } from '../../../server/foundation.ts';
import { emailKey } from '../../../store/accounts/email-key.ts';
import { beginLink, confirmationLinkLifetime, takeLinkTry } from '../../../store/calls/confirmation-links.ts';
import { confirmCall, findCall, isUsable, type PhoneCallsTable } from '../../../store/calls/phone-calls.ts';
import type { StoreTransaction } from '../../../store/database.ts';
import { uncount } from '../../../store/limits.ts';
import type { Visitor } from '../../../store/visitor.ts';
import { askedBefore, keptAttempt, triesPerCall, waitingFor } from '../calls/asked-before.ts';
import { countMail, TooManyCalls } from '../calls/call-limits.ts';
import { requirePhone } from '../calls/request-call.ts';
import { confirmMail, requestMail } from '../confirm-phone.contract.ts';
import { confirmationOf } from '../confirm-phone.ts';

interface Wish {
  readonly phone: string;
  readonly email: string;
  readonly locale: LanguageCode;
  readonly visitor: Visitor;
  /** SHA-256 of the cookie of the browser that asks. */
  readonly browser: string;
  readonly attempt?: string | undefined;
}

/**
 * Sends a link to somebody who cannot take a call, where the operator allows it. It shows that the person can be reached, and
 * not that the number is theirs: the account's phone stays unconfirmed.
 */
export async function sendConfirmationMail(service: Service, wish: Wish) {
  const { email, visitor } = wish;
  const phone = requirePhone(requestMail, wish);
  const now = service.now();
  const asked = { ...wish, phone, way: 'mail' } as const;
  const answer = await service.store.transaction().execute(async (trx) => {
    const counted = await countMail(trx, service, { emailHash: sha256(emailKey(email)), visitor });
    // After its turn to count: one that came at the same time is found.
    const told = await askedBefore({ store: trx, now: service.now }, requestMail, asked);
    if (told && counted.state === 'counted') await uncount(trx, counted.hits);
    if (told) return told;
    if (counted.state === 'refused') throw new TooManyCalls(counted.freeAt - now);
    return waitingFor(await postLink(service, trx, asked), confirmationLinkLifetime);
  });
  service.outbox.wake();
  return answer;
}

/** Returns the id of what takes the call's place. */
async function postLink(
  service: Service,
  trx: StoreTransaction,
  wish: Wish & { readonly way: 'mail' },
): Promise<string> {
  const { phone, email, locale, visitor, browser } = wish;
  const now = service.now();
  const id = randomSecret(128);
  const secret = randomSecret(256);
  const link = new URL(pathIn(locale, '/confirm-mail/'), service.config.PUBLIC_URL);
  link.searchParams.set('call', id);
  link.searchParams.set('hash', secret);
  const account = { email, name: email, locale };
  const outboxId = await post(trx, { notice: 'confirm_mail', params: { link: link.href }, account, at: now });
  const proof = proofOf(service.keyring.calls[0] as Buffer, id, secret);
  await beginLink(trx, {
    id,
    phone,
    proof,
    locale,
    attempts_left: triesPerCall,
    source: visitor.source,
    browser,
    created_at: now,
    attempt: keptAttempt(wish),
    outboxId,
  });
  return id;
}

/** Confirms by a link's secret. One that comes again, because the answer was lost, is as right as it was. */
export async function confirmByMail(service: Service, { call: id, secret }: { call: string; secret: string }) {
  const now = service.now();
  const call = (await takeLinkTry(service.store, { id, now })) ?? (await alreadyConfirmed(service, id));
  if (!call?.proof || !isProof(service.keyring.calls, call.proof, { id, answer: secret }))
    throw refuse(confirmMail, 'confirmation_link_expired');
  await confirmCall(service.store, { id, proof: call.proof, now });
  return confirmationOf(service, call);
}

async function alreadyConfirmed({ store, now }: Service, id: string): Promise<PhoneCallsTable | undefined> {
  const call = await findCall(store, id);
  return call?.way === 'mail' && call.state === 'confirmed' && isUsable(call, now()) ? call : undefined;
}
