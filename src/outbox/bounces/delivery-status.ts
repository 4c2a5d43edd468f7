import { toSingleLine } from '../single-line.ts';
import { type Fields, fieldGroups } from './fields.ts';
import { isSameAddress, type Report, refusalReport } from './report.ts';

export const deliveryStatusTypes = ['message/delivery-status', 'message/global-delivery-status'];
/** A letter of ours goes to one person, whose server may hand it on to several. */
const mostRecipients = 20;

/**
 * Reads a delivery status notification (RFC 3464) about a letter to that recipient. Undefined for news of a letter that
 * arrived. Nobody is there only where the report says so of everybody whom the letter was handed to.
 */
export function readDeliveryStatus(text: string, recipient: string): Report | undefined {
  const statuses = fieldGroups(text)
    .filter((fields) => fields.has('action'))
    .slice(0, mostRecipients)
    .map((fields) => statusOf(fields, recipient));
  if (statuses.includes(undefined)) return undefined;
  return statuses.find((status) => status?.kind !== 'no_such_address') ?? statuses[0];
}

/** What became of it for one recipient; undefined where it arrived. */
function statusOf(fields: Fields, recipient: string): Report | undefined {
  // Behind it may be a comment.
  const action = /^[a-z]+/.exec(fields.get('action')?.toLowerCase() ?? '')?.[0];
  const [status = '', diagnostic = ''] = [fields.get('status'), fields.get('diagnostic-code')];
  if (action === 'delayed') return { kind: 'delayed', detail: toSingleLine(diagnostic || status) };
  if (action !== 'failed') return undefined;
  const final = fields.get('final-recipient');
  return refusalReport({
    said: diagnostic,
    status,
    isOurs: final === undefined || isSameAddress(final, recipient),
  });
}
