/** Scripts whose names are abbreviated to capital letters. */
const abbreviated = /^[\p{Script=Latin}\p{Script=Greek}\p{Script=Cyrillic}]/u;

/** Initials of a name: of its first and last word, or its first character in scripts without capitals. */
export function initialsOf(name: string): string {
  const words = name.trim().split(/\s+/u);
  const [first = '', last = ''] = [words[0], words.length > 1 ? words.at(-1) : ''].map(
    (word = '') => [...word.normalize()][0] ?? '',
  );
  const letters = abbreviated.test(first) && abbreviated.test(last) ? first + last : first;
  return letters.toUpperCase();
}
