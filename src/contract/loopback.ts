/** Whether a host name or address is this machine itself (RFC 6761, section 6.3; RFC 1122, section 3.2.1.3). */
export const isLoopbackHost = (host: string): boolean =>
  /^(?:(?:[\w-]+\.)*localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)$/i.test(host);
