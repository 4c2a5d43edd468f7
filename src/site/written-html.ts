/** Boolean attributes, which need no value. */
const booleans = /^(?:async|checked|defer|disabled|hidden|inert|multiple|novalidate|open|readonly|required|selected)$/;
/** SVG elements, whose attribute names are case-sensitive. */
const drawn = /^(?:circle|defs|ellipse|g|line|mask|path|pattern|polygon|polyline|rect|stop|svg|use)$/;

/**
 * Minifies React's HTML: lower-case names, no slash at the end of a void element, no empty value. React escapes each
 * `<` and `>` in text, so a regular expression finds the tags.
 */
export const writtenHtml = (rendered: string): string =>
  rendered.replace(/<([a-z][a-z0-9]*)((?:\s[^>]*?)?)\/?>/g, (whole, name: string, attributes: string) =>
    drawn.test(name) ? whole : `<${name}${attributes.replace(/\s([^\s="/]+)(="[^"]*")?/g, writeAttribute)}>`,
  );

const writeAttribute = (_: string, name: string, value = '') => {
  const written = name.toLowerCase();
  return ` ${written}${value === '=""' && booleans.test(written) ? '' : value}`;
};
