import { domainToASCII } from 'node:url';

/**
 * The spelling of an address by which accounts differ: without case, by the rules of Unicode and of no locale
 * (a Turkish server must not make another key), and composed alike (NFC).
 */
export function emailKey(email: string): string {
  const at = email.lastIndexOf('@');
  const local = email.slice(0, at).normalize('NFC').toLowerCase().normalize('NFC');
  // Full-width letters and punycode are other ways to write the same domain (UTS #46).
  const domain = email
    .slice(at + 1)
    .normalize('NFKC')
    .toLowerCase();
  return `${local}@${domainToASCII(domain) || domain}`;
}
