/** Text for a search: without capitals and accents, and with `ss` for `ß`. */
const plain = (text: string) => text.normalize('NFKD').replace(/\p{M}/gu, '').toUpperCase().toLowerCase();

/** A function that finds all words of a search in a text, in any order, whatever their capitals and accents. */
export function wordsFinder(find: string): (text: string) => boolean {
  const words = plain(find).split(/\s+/).filter(Boolean);
  return (text) => {
    const known = plain(text);
    return words.every((word) => known.includes(word));
  };
}
