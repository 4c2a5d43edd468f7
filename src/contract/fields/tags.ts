import * as z from 'zod/mini';
import { tagsIn } from './tags-in.ts';

/** Tags of one device. */
const mostTags = 10;
/** Characters of a tag. */
const longestTag = 30;

const areAllowed = (tags: readonly string[]): boolean =>
  tags.length <= mostTags && tags.every((tag) => [...tag].length <= longestTag);

const missing = (issue: { input: unknown }) => (issue.input === undefined ? 'required' : 'not_understood');

/** The tags of a device. A tag that contains commas counts as several. */
export const tags = z.array(z.string({ error: 'not_understood' }), { error: missing }).check(
  z.overwrite((list) => tagsIn(list.join(','))),
  z.refine(areAllowed, { error: 'tags_invalid' }),
);

/** The same in one line, as people type it. */
export const tagsText = z
  .string({ error: missing })
  .check(z.refine((text) => areAllowed(tagsIn(text)), { error: 'tags_invalid' }));
