/** node-postgres treats these modes as `verify-full`, but prints a block of warnings unless the URL says so. */
export const withCheckedCertificate = (url: string): string =>
  url.replace(/([?&]sslmode=)(?:prefer|require|verify-ca)(?=&|$)/, '$1verify-full');
