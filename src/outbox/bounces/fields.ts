/** Fields of a report by their lower-case names; of several with one name the last. */
export type Fields = ReadonlyMap<string, string>;

/** Groups of fields, each recipient's apart by an empty line (RFC 3464, section 2.1); the first is about the message. */
export const fieldGroups = (text: string): Fields[] =>
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
