/** What node-postgres does with these modes, and says in a block of warnings unless it is written so. */
export const withCheckedCertificate = (url: string): string =>
  url.replace(/([?&]sslmode=)(?:prefer|require|verify-ca)(?=&|$)/, '$1verify-full');
