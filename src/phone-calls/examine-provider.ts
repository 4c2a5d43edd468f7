import { asRefused, type CallProvider, type ProviderStatus, type RefusalReason } from './provider.ts';
import { withTimeout } from './with-timeout.ts';

/** What `vestibule doctor` tells of a provider. */
export interface ExaminedProvider extends ProviderStatus {
  readonly provider: string;
  /** Absent when it is well. */
  readonly refused?: { readonly reason: RefusalReason; readonly message: string };
}

/** Tries a provider's credentials without calling anyone, for so many milliseconds. */
export async function examineProvider(provider: CallProvider, within: number): Promise<ExaminedProvider> {
  try {
    return { provider: provider.name, ...(await withTimeout(within, (signal) => provider.examine(signal))) };
  } catch (error) {
    const { reason, message } = asRefused(error);
    return { provider: provider.name, refused: { reason, message } };
  }
}
