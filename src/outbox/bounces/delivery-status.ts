import { toSingleLine } from '../single-line.ts';
import { type Fields, fieldGroups } from './fields.ts';
import { isSameAddress, type Report, refusalReport } from './report.ts';

export const deliveryStatusTypes = ['message/delivery-status', 'message/global-delivery-status'];
/** Each email has one recipient, whose server may forward it to several. */
const mostRecipients = 20;

/**
 * Reads a delivery status notification (RFC 3464) about an email to that recipient; undefined if the email arrived. The
 * kind is `no_such_address` only if the report says so for every address that the email was forwarded to.
 */
export function readDeliveryStatus(text: string, recipient: string): Report | undefined {
  const statuses = fieldGroups(text)
    .filter((fields) => fields.has('action'))
    .slice(0, mostRecipients)
    .map((fields) => statusOf(fields, recipient));
  if (statuses.includes(undefined)) return undefined;
  return statuses.find((status) => status?.kind !== 'no_such_address') ?? statuses[0];
}

/** The report for one recipient; undefined unless the email is delayed or failed. */
function statusOf(fields: Fields, recipient: string): Report | undefined {
  // A comment may follow the action.
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
