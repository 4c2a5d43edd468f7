import * as z from 'zod/mini';

/** The text of a setting. `says` tells operators its form. */
export const textLike = (form: RegExp | ((text: string) => boolean), says: string) =>
  z.string().check(z.refine((text) => (form instanceof RegExp ? form.test(text) : form(text)), says));

/** What `read` makes of the text of a setting; undefined if it has another form than `says` tells operators. */
export const readLike = <Value>(read: (text: string) => Value | undefined, says: string) =>
  z.pipe(
    z.string(),
    z.transform((text, { issues }): Value => {
      const value = read(text);
      if (value !== undefined) return value;
      issues.push({ code: 'custom', input: text, message: says });
      return z.NEVER;
    }),
  );

/** Several values, separated by commas. */
export const listOf = <Item extends z.ZodMiniType<unknown, string>>(item: Item) =>
  z.pipe(
    z.pipe(
      z.string().check(z.minLength(1)),
      z.transform((text) =>
        text
          .split(',')
          .map((one) => one.trim())
          .filter(Boolean),
      ),
    ),
    z.array(item),
  );

/** Pairs of a name and a value by their name, such as `DE:1,FR:2`; each is one that `read` accepts. */
export const pairsLike = <Value>(read: (text: string) => readonly [string, Value] | undefined, says: string) =>
  readLike((text): Readonly<Record<string, Value>> | undefined => {
    const pairs = text.split(',').flatMap((one) => [read(one.trim())]);
    return pairs.includes(undefined) ? undefined : Object.fromEntries(pairs as [string, Value][]);
  }, says);
