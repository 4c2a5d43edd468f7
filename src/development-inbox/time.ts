/** A time (ISO 8601), in UTC until the script converts it to the reader's time zone. */
export const time = (at: string): string =>
  `<time datetime="${at}">${at === '' ? '' : `${at.slice(0, 16).replace('T', ' ')} UTC`}</time>`;
