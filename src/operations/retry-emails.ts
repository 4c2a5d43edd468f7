import { noticesWith } from '../outbox/notices.ts';
import { requeueEmails } from '../store/emails/outbox-review.ts';
import { audit, type Operation } from './operation.ts';

/** Requeues emails that were given up or wait for their next attempt. Returns the ids of the requeued ones. */
export async function retryEmails(
  { store, ...operation }: Operation,
  ids: readonly string[] | 'all',
): Promise<string[]> {
  const [shortLived, withResetLink] = [noticesWith('shortLived'), noticesWith('hasResetLink')];
  const retried = await requeueEmails(store, { ids, shortLived, withResetLink, now: operation.now });
  const subject = ids === 'all' ? `all: ${retried.length}` : retried.join(' ');
  if (retried.length > 0) await audit(store, operation, { action: 'emails_retried', subject });
  return retried;
}
