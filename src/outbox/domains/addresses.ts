import { domainToASCII } from 'node:url';
import { email } from '../../contract/fields/fields.ts';
import { SettingsError } from '../../contract/settings.ts';
import { emailKey } from '../../store/accounts/accounts.ts';

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

/**
 * Reads the setting `MAIL_FROM`: `Name <address>`, or only an address, which gets the product's name. Throws a
 * `SettingsError`.
 */
export function readMailFrom(
  setting: string,
  productName: string,
): { readonly name: string; readonly address: string } {
  const from = readMailbox(setting);
  if (!from)
    throw new SettingsError('MAIL_FROM: must be one email address, or Name <address>, with ASCII letters before the @');
  return { name: from.name || productName, address: from.address };
}

interface ReturnSettings {
  readonly MAIL_FROM: string;
  readonly PRODUCT_NAME: string;
  readonly MAIL_RETURN_PATH?: string | undefined;
  readonly BOUNCE_ADDRESS?: string | undefined;
}

/** The return path of emails, before each one adds its token. */
export const returnPathIn = ({ BOUNCE_ADDRESS, MAIL_RETURN_PATH, MAIL_FROM, PRODUCT_NAME }: ReturnSettings): string =>
  BOUNCE_ADDRESS ?? MAIL_RETURN_PATH ?? readMailFrom(MAIL_FROM, PRODUCT_NAME).address;

interface AddressCheckDeps {
  readonly config: {
    readonly MAIL_FROM: string;
    readonly PRODUCT_NAME: string;
    readonly SUPPORT_EMAIL?: string | undefined;
    readonly BOUNCE_ADDRESS?: string | undefined;
    readonly EMAIL_BLOCKLIST: readonly string[];
  };
  readonly outbox: { reaches(email: string): Promise<boolean> };
}

/** Whether an account can have an address: not the service's own, not blocked, and reachable by email. */
export const isUsableAddress = async ({ config, outbox }: AddressCheckDeps, email: string): Promise<boolean> =>
  !isRuledOut(config, email) && outbox.reaches(email);

/**
 * Rules out the service's own addresses, those that the operator blocks, and names that email can never reach (RFC
 * 6761, section 6.4).
 */
function isRuledOut(config: AddressCheckDeps['config'], email: string): boolean {
  const address = emailKey(email);
  const domain = address.slice(address.lastIndexOf('@') + 1);
  if (domain.endsWith('.invalid')) return true;
  const { address: sender } = readMailFrom(config.MAIL_FROM, config.PRODUCT_NAME);
  const ours = [sender, config.SUPPORT_EMAIL ?? '', config.BOUNCE_ADDRESS ?? ''].map(emailKey);
  return (
    ours.includes(address) || config.EMAIL_BLOCKLIST.map(asKey).some((item) => item === address || item === domain)
  );
}

/** Whether an item of the blocklist can match an address; any other item would have no effect. */
export const isBlockable = (item: string): boolean => email.safeParse(asKey(item).replace(/^(?!.*@)/, 'any@')).success;

/** Writes an address, or a domain with or without its @, like the keys of accounts. */
function asKey(item: string): string {
  if (item.indexOf('@') > 0) return emailKey(item);
  return emailKey(`@${item.replace(/^@/, '')}`).slice(1);
}
