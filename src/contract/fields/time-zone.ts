/** Names the browser's time zone (IANA) with each request, so that a letter can tell a moment as clocks at home show it. */
export const timeZoneHeader = 'X-Time-Zone';

/** Looks like `Europe/Berlin` or `Etc/GMT+12`; whether there is such a zone is for whoever uses it to find out. */
export const isTimeZoneName = (name: unknown): name is string =>
  typeof name === 'string' && /^[A-Za-z][\w+\-/]{0,63}$/.test(name);
