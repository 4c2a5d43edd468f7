import { domainToASCII } from 'node:url';
import { email } from '../../contract/fields/fields.ts';

/**
 * Whether a setting is one mailbox: an address that the contract accepts, or one at a host of this network such as
 * `root@localhost`. The part before the @ must be ASCII, since servers without SMTPUTF8 accept nothing else.
 */
export function isMailbox(address: string): boolean {
  if (!/^[\x21-\x7e]+@/.test(address)) return false;
  const host = address.slice(address.lastIndexOf('@') + 1);
  const whole = /^[a-z\d-]+$/i.test(host) ? `${address}.internal` : address;
  const read = email.safeParse(whole);
  return read.success && read.data === whole;
}

/** Writes the domain of an address in ASCII, as the DNS does (A-labels, RFC 5890, section 2.3.2.1), for any server. */
export function inALabels(address: string): string {
  const at = address.lastIndexOf('@') + 1;
  return address.slice(0, at) + domainToASCII(address.slice(at));
}

const quoted = String.raw`"(?:[^"\\\p{Cc}]|\\[^\p{Cc}])*"`;
const unquoted = String.raw`[^<>"@,;:()[\]\\\p{Cc}]*`;
const named = new RegExp(String.raw`^(${quoted}\s*|${unquoted})<([^<>\s]+)>$`, 'u');

/**
 * Reads `address` or `Name <address>` (RFC 5322, section 3.4; a name with commas in quotes); undefined for anything
 * else.
 */
export function readMailbox(text: string): { readonly name: string; readonly address: string } | undefined {
  const [, name = '', address = text] = named.exec(text.trim()) ?? [];
  if (!isMailbox(address)) return undefined;
  return { name: name.trim().replace(/^"(.*)"$/su, (_, inside: string) => inside.replace(/\\(.)/gsu, '$1')), address };
}
