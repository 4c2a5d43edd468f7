/** Sends the browser's time zone (IANA) with each request, so that emails can show local time. */
export const timeZoneHeader = 'X-Time-Zone';

/** Whether a name looks like `Europe/Berlin` or `Etc/GMT+12`. The caller has to check that the zone exists. */
export const isTimeZoneName = (name: unknown): name is string =>
  typeof name === 'string' && /^[A-Za-z][\w+\-/]{0,63}$/.test(name);
