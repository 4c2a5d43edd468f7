import { domainToASCII } from 'node:url';

/**
 * The normalized address that identifies an account: in lower case by Unicode's rules, regardless of locale (a Turkish
 * server must produce the same key), and composed (NFC).
 */
export function emailKey(email: string): string {
  const at = email.lastIndexOf('@');
  const local = email.slice(0, at).normalize('NFC').toLowerCase().normalize('NFC');
  // Full-width letters and punycode are other spellings of the same domain (UTS #46).
  const domain = email
    .slice(at + 1)
    .normalize('NFKC')
    .toLowerCase();
  return `${local}@${domainToASCII(domain) || domain}`;
}
