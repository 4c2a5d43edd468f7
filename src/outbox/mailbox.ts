import { email } from '../contract/fields.ts';

/** Whether a setting names one mailbox: an address of the contract, or one at a host of this network such as `root@localhost`. */
export function isMailbox(address: string): boolean {
  const host = address.slice(address.lastIndexOf('@') + 1);
  const whole = /^[a-z\d-]+$/i.test(host) ? `${address}.internal` : address;
  const read = email.safeParse(whole);
  return read.success && read.data === whole;
}

const quoted = String.raw`"(?:[^"\\\p{Cc}]|\\[^\p{Cc}])*"`;
const unquoted = String.raw`[^<>"@,;:()[\]\\\p{Cc}]*`;
const named = new RegExp(String.raw`^(${quoted}\s*|${unquoted})<([^<>\s]+)>$`, 'u');

/** Reads `address` or `Name <address>` (RFC 5322, section 3.4; a name that has commas in it in quotes); undefined when it is neither. */
export function readMailbox(text: string): { readonly name: string; readonly address: string } | undefined {
  const [, name = '', address = text] = named.exec(text.trim()) ?? [];
  if (!isMailbox(address)) return undefined;
  return { name: name.trim().replace(/^"(.*)"$/su, (_, inside: string) => inside.replace(/\\(.)/gsu, '$1')), address };
}
