import { asRefused, type CallProvider, type ProviderStatus, type RefusalReason } from '../provider.ts';
import { withTimeout } from '../requests/with-timeout.ts';

/** A provider's entry in `vestibule doctor`. */
export interface ExaminedProvider extends ProviderStatus {
  readonly provider: string;
  /** Absent if the provider works. */
  readonly refused?: { readonly reason: RefusalReason; readonly message: string };
}

/** Checks a provider's credentials without placing a call; `within` is in milliseconds. */
export async function examineProvider(provider: CallProvider, within: number): Promise<ExaminedProvider> {
  try {
    return { provider: provider.name, ...(await withTimeout(within, (signal) => provider.examine(signal))) };
  } catch (error) {
    const { reason, message } = asRefused(error);
    return { provider: provider.name, refused: { reason, message } };
  }
}
