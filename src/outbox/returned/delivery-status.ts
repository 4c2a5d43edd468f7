import PostalMime from 'postal-mime';
import type { ReturnKind } from '../../store/letters/returned-letters.ts';
import { saysNoSuchAddress } from '../enhanced-status.ts';
import { inShort } from '../in-short.ts';

/** What a report says of the letter that it is about. */
interface Status {
  readonly kind: ReturnKind;
  readonly detail: string;
}

const statusTypes = ['message/delivery-status', 'message/global-delivery-status'];
/** A report has three parts, one of them a message of ours, which has two. */
const limits = { maxNestingDepth: 10, maxHeadersSize: 64 * 1024, maxRfc822NestingDepth: 0 };
/** What became of the letter is said before it is quoted; each line costs the parser some time, an empty one, too. */
const mostLines = 5000;
const lineFeed = 0x0a;
/** A letter of ours goes to one person, whose server may hand it on to several. */
const mostRecipients = 20;

/**
 * Reads a delivery status notification (RFC 3464). Undefined for whatever else comes back, such as an absence notice, and
 * for news of a letter that arrived. Nobody is there only where that is said of everybody whom the letter was handed to.
 */
export async function readDeliveryStatus(raw: Uint8Array): Promise<Status | undefined> {
  const parsed = await PostalMime.parse(beginningOf(raw), limits).catch(() => undefined);
  const part = parsed?.attachments.find(({ mimeType }) => statusTypes.includes(mimeType));
  if (!part || typeof part.content === 'string') return undefined;
  const statuses = fieldGroups(new TextDecoder().decode(part.content))
    .filter((fields) => fields.has('action'))
    .slice(0, mostRecipients)
    .map(statusOf);
  if (statuses.includes(undefined)) return undefined;
  return statuses.find((status) => status?.kind !== 'no_such_address') ?? statuses[0];
}

function beginningOf(raw: Uint8Array): Uint8Array {
  let end = 0;
  for (let lines = 0; lines < mostLines; lines += 1) {
    end = raw.indexOf(lineFeed, end) + 1;
    if (end === 0) return raw;
  }
  return raw.subarray(0, end);
}

/** Groups of fields, each recipient's apart by an empty line; the first is about the message. */
const fieldGroups = (text: string): Map<string, string>[] =>
  text
    .replaceAll('\r\n', '\n')
    // A line of blanks is an empty one, and folds nothing.
    .replaceAll(/\n[ \t]+(?=\n)/g, '\n')
    .replaceAll(/\n[ \t]/g, ' ')
    .split('\n\n')
    .map((group) => new Map(group.split('\n').map(fieldIn)));

function fieldIn(line: string): [name: string, value: string] {
  const colon = line.indexOf(':');
  return [line.slice(0, Math.max(0, colon)).trim().toLowerCase(), line.slice(colon + 1).trim()];
}

/** What became of it for one recipient; undefined where it arrived. */
function statusOf(fields: ReadonlyMap<string, string>): Status | undefined {
  // Behind it may be a comment.
  const action = /^[a-z]+/.exec(fields.get('action')?.toLowerCase() ?? '')?.[0];
  const [status, diagnostic] = [fields.get('status') ?? '', fields.get('diagnostic-code') ?? ''];
  const detail = inShort(diagnostic || status);
  if (action === 'delayed') return { kind: 'delayed', detail };
  if (action !== 'failed') return undefined;
  // Some say no more than 5.0.0 themselves, or nothing, and quote the server that knew better.
  const quoted = /^smtp;\s*5\d\d[ -](\d\.\d+\.\d+)/i.exec(diagnostic)?.[1] ?? '';
  const isGone = saysNoSuchAddress(/^(?:5\.0\.0\b|$)/.test(status) ? quoted : status);
  return { kind: isGone ? 'no_such_address' : 'refused', detail };
}
