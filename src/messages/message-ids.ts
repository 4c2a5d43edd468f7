import type { Catalog } from './catalog.ts';

/** The content of `ids.ts`: the type of every message's id, so that a wrong one does not compile. */
export const idsSource = (english: Catalog): string =>
  [
    '// Generated from en.po by `npm run build`: do not edit.',
    '',
    '/** The id of a message. */',
    'export type MessageId =',
    `${english.entries.map(({ id }) => `  | '${id}'`).join('\n')};`,
    '',
  ].join('\n');
