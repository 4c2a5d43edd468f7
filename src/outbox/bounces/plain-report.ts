import { isSameAddress, type Report, refusalReport } from './report.ts';

/** The line between the text of Exim or qmail and the copy of the email. */
const copy = /^-{3,} ?(?:this is a copy of|below this line is a copy of|enclosed is a copy of)/im;

/** Exim and Gmail list failed recipients in a header; older versions of Exim have no other report. */
export function readFailedRecipients(header: string, text: string, recipient: string): Report | undefined {
  const failed = header
    .split(',')
    .map((address) => address.trim())
    .filter(Boolean);
  if (failed.length === 0) return undefined;
  const isOurs = failed.every((address) => isSameAddress(address, recipient));
  return refusalReport({ said: reasonIn(text), isOurs });
}

/** Exim indents the reason below the address. */
function reasonIn(text: string): string {
  const words = text.split(copy, 1)[0] ?? '';
  return words
    .split('\n')
    .filter((line) => /^\s+\S/.test(line))
    .join(' ');
}

const qsbmfStart = /^\s*Hi\. This is the\b/;
const qsbmfRecipient = /^<([^<>\s]+)>:\s/;

/**
 * Reads a report in the qmail-send bounce message format (https://cr.yp.to/proto/qsbmf.txt): a paragraph for each
 * recipient, above a copy of the email.
 */
export function readQsbmf(text: string, recipient: string): Report | undefined {
  if (!qsbmfStart.test(text)) return undefined;
  const [words = ''] = text.replaceAll('\r\n', '\n').split(copy, 1);
  const reports = words.split(/\n{2,}/).flatMap((paragraph) => {
    const [start, address = ''] = qsbmfRecipient.exec(paragraph) ?? [];
    if (start === undefined) return [];
    // Some versions of qmail write a remote server's response with underscores instead of spaces.
    const said = paragraph.slice(start.length).replaceAll('_', ' ');
    return [refusalReport({ said, isOurs: isSameAddress(address, recipient) })];
  });
  return reports.find(({ kind }) => kind !== 'no_such_address') ?? reports[0];
}
