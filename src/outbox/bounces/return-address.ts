import { spellEmail } from '../../contract/fields/email-address.ts';

/** Adds a token to `bounces@example.com`: `bounces+TOKEN@example.com` identifies the email that bounces. */
export function returnAddress(address: string, token: string): string {
  const at = address.lastIndexOf('@');
  return `${address.slice(0, at)}+${token}${address.slice(at)}`;
}

/** The token in one of our return addresses, even if servers changed its case; undefined for any other address. */
export function tokenIn(address: string, recipient: string): string | undefined {
  const [own, given] = [address, recipient].map((one) => spellEmail(one).toLowerCase()) as [string, string];
  const at = own.lastIndexOf('@');
  const [before, after] = [`${own.slice(0, at)}+`, own.slice(at)];
  if (!given.startsWith(before) || !given.endsWith(after)) return undefined;
  return given.slice(before.length, given.length - after.length);
}

/** Whether it is the return address without a token, to which services may send complaints. */
export const isReturnAddress = (address: string, recipient: string): boolean =>
  spellEmail(address).toLowerCase() === spellEmail(recipient).toLowerCase();
