/**
 * A text for a header, which is ASCII: `%` and everything but visible ASCII and inner spaces is percent-encoded UTF-8,
 * so that `decodeURIComponent` restores it.
 */
export const headerText = (text: string): string =>
  text.toWellFormed().replace(/^\s|\s$|[^ -~]|%/gu, (character) => {
    const encoded = encodeURIComponent(character);
    return encoded === character ? `%${character.charCodeAt(0).toString(16).padStart(2, '0').toUpperCase()}` : encoded;
  });
