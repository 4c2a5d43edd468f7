import { email } from '../../contract/fields/fields.ts';
import { emailKey } from '../../store/accounts/accounts.ts';
import { readMailFrom } from '../compose.ts';
import type { Outbox } from '../delivery/outbox-worker.ts';

interface AddressCheckDeps {
  readonly config: {
    readonly MAIL_FROM: string;
    readonly PRODUCT_NAME: string;
    readonly SUPPORT_EMAIL?: string | undefined;
    readonly BOUNCE_ADDRESS?: string | undefined;
    readonly EMAIL_BLOCKLIST: readonly string[];
  };
  readonly outbox: Pick<Outbox, 'reaches'>;
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
