import { email } from '../../contract/fields/fields.ts';
import { emailKey } from '../../store/accounts/email-key.ts';
import type { Outbox } from '../delivery/outbox-worker.ts';
import { readMailFrom } from '../email-message.ts';

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

/** Whether an account can be made with an address: none of the service's own, none that is blocked, and one that mail can reach. */
export const isUsableAddress = async ({ config, outbox }: AddressCheckDeps, email: string): Promise<boolean> =>
  !isRuledOut(config, email) && outbox.reaches(email);

/** The service's own addresses, what the operator blocks, and names that no mail can reach (RFC 6761, section 6.4). */
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

/** Whether an address can be one that an item of the list blocks; any other item would block nobody. */
export const isBlockable = (item: string): boolean => email.safeParse(asKey(item).replace(/^(?!.*@)/, 'any@')).success;

/** An address, or a domain with or without its @, spelt as accounts' keys are. */
function asKey(item: string): string {
  if (item.indexOf('@') > 0) return emailKey(item);
  return emailKey(`@${item.replace(/^@/, '')}`).slice(1);
}
