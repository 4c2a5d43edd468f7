import { type LanguageCode, pathIn } from '../../../contract/languages.ts';
import { refuse } from '../../../contract/refuse.ts';
import { post } from '../../../outbox/post.ts';
import { isProof, proofOf } from '../../../security/phone-proofs.ts';
import { randomSecret, sha256 } from '../../../security/secrets.ts';
import type { Service } from '../../../server/foundation.ts';
import { emailKey } from '../../../store/accounts.ts';
import { beginLink, confirmationLinkLifetime, takeLinkTry } from '../../../store/confirmation-links.ts';
import { confirmCall, findCall, isUsable, type PhoneCallsTable } from '../../../store/phone-calls.ts';
import type { Visitor } from '../../../store/visitor.ts';
import { countMail } from '../calls/call-limits.ts';
import { requirePhone, triesPerCall, waitingFor } from '../calls/place-call.ts';
import { confirmMail, requestMail } from '../confirm-phone.contract.ts';
import { confirmationOf } from '../confirm-phone.ts';

interface Wish {
  readonly phone: string;
  readonly email: string;
  readonly locale: LanguageCode;
  readonly visitor: Visitor;
}

/**
 * Sends a link to somebody who cannot take a call, where the operator allows it. It shows that the person can be reached, and
 * not that the number is theirs: the account's phone stays unconfirmed.
 */
export async function sendConfirmationMail(service: Service, wish: Wish) {
  const { email, locale, visitor } = wish;
  const phone = requirePhone(requestMail, wish);
  const now = service.now();
  await countMail(service, { emailHash: sha256(emailKey(email)), visitor });

  const id = randomSecret(128);
  const secret = randomSecret(256);
  const link = new URL(pathIn(locale, '/confirm-mail/'), service.config.PUBLIC_URL);
  link.searchParams.set('call', id);
  link.searchParams.set('hash', secret);
  await service.store.transaction().execute(async (trx) => {
    const account = { email, name: email, locale };
    const outboxId = await post(trx, { notice: 'confirm_mail', params: { link: link.href }, account, at: now });
    const proof = proofOf(service.keyring.phone[0] as Buffer, id, secret);
    await beginLink(trx, {
      id,
      phone,
      proof,
      locale,
      attempts_left: triesPerCall,
      source: visitor.source,
      created_at: now,
      outboxId,
    });
  });
  service.outbox.wake();
  return waitingFor(id, confirmationLinkLifetime);
}

/** Confirms by a link's secret. One that comes again, because the answer was lost, is as right as it was. */
export async function confirmByMail(service: Service, { call: id, secret }: { call: string; secret: string }) {
  const now = service.now();
  const call = (await takeLinkTry(service.store, { id, now })) ?? (await alreadyConfirmed(service, id));
  if (!call?.proof || !isProof(service.keyring.phone, call.proof, { call: id, answer: secret }))
    throw refuse(confirmMail, 'confirmation_link_expired');
  await confirmCall(service.store, { id, proof: call.proof, now });
  return confirmationOf(service, call);
}

async function alreadyConfirmed({ store, now }: Service, id: string): Promise<PhoneCallsTable | undefined> {
  const call = await findCall(store, id);
  return call?.way === 'mail' && call.state === 'confirmed' && isUsable(call, now()) ? call : undefined;
}
