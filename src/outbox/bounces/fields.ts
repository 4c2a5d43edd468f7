/** Fields of a report by lower-case name; the last of several wins. */
export type Fields = ReadonlyMap<string, string>;

/**
 * Splits a report into groups of fields at empty lines (RFC 3464, section 2.1): the first describes the message, each
 * other one a recipient.
 */
export const fieldGroups = (text: string): Fields[] =>
  unfold(text)
    .split('\n\n')
    .map((group) => new Map(group.split('\n').map(fieldIn)));

/** All values of a field that may occur several times, by its lower-case name. */
export const valuesOf = (text: string, field: string): string[] =>
  unfold(text)
    .split('\n')
    .map(fieldIn)
    .flatMap(([name, value]) => (name === field ? [value] : []));

const unfold = (text: string): string =>
  text
    .replaceAll('\r\n', '\n')
    // A line of blanks counts as empty, not as a folded field.
    .replaceAll(/\n[ \t]+(?=\n)/g, '\n')
    .replaceAll(/\n[ \t]/g, ' ');

function fieldIn(line: string): [name: string, value: string] {
  const colon = line.indexOf(':');
  return [line.slice(0, Math.max(0, colon)).trim().toLowerCase(), line.slice(colon + 1).trim()];
}
