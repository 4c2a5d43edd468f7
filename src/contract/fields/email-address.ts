/**
 * The canonical spelling of an address: NFC, with its domain in lower case and narrow letters (UTS #46). A lookalike
 * such as U+212A, the Kelvin sign, becomes the plain letter. The case before the @ stays as typed.
 */
export function spellEmail(email: string): string {
  const at = email.lastIndexOf('@') + 1;
  const domain = email.slice(at).normalize('NFKC').toLowerCase().normalize('NFKC').replaceAll('。', '.');
  return email.slice(0, at).normalize('NFC') + domain;
}

/** RFC 6531 mailbox without quoted local parts: dot-atoms, and a domain of at least two labels. */
const mailbox =
  /^[^\s@"(),:;<>[\]\\.\p{Cc}\p{Cf}]+(?:\.[^\s@"(),:;<>[\]\\.\p{Cc}\p{Cf}]+)*@(?:[\p{L}\p{N}](?:[\p{L}\p{N}\p{M}-]*[\p{L}\p{N}\p{M}])?\.)+(?!\d+$)[\p{L}\p{N}](?:[\p{L}\p{N}\p{M}-]*[\p{L}\p{N}\p{M}])?$/u;

/** Octets (RFC 5321, section 4.5.3.1.1; RFC 1035, section 2.3.4, where those of a domain are those of its text). */
const longestLocalPart = 64;
const longestLabel = 63;
const longestDomain = 253;

/** Whether an address has a valid form. */
export function isEmailAddress(email: string): boolean {
  if (!mailbox.test(email)) return false;
  const at = email.lastIndexOf('@');
  if (new TextEncoder().encode(email.slice(0, at)).length > longestLocalPart) return false;
  // `URL` writes a domain as DNS has it, in A-labels.
  const domain = URL.parse(`http://${email.slice(at + 1)}/`)?.hostname ?? '';
  // Also refuse what `URL` reads as an IPv4 address, such as `0x7f.0x1`.
  return (
    domain !== '' &&
    !/\.\d+$/.test(domain) &&
    domain.length <= longestDomain &&
    domain.split('.').every((label) => label.length <= longestLabel)
  );
}
