/** A time (ISO 8601), in UTC until the script writes it in the reader's own zone. */
export const time = (at: string): string =>
  `<time datetime="${at}">${at === '' ? '' : `${at.slice(0, 16).replace('T', ' ')} UTC`}</time>`;
