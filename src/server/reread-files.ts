import { SettingsError } from '../contract/settings-error.ts';
import { readReceivers } from '../webhooks/receivers-file.ts';
import type { Config } from './config.ts';
import type { Service } from './service.ts';

/** Whether there are files to read again on SIGHUP. */
export const hasFiles = ({ WEBHOOKS_FILE }: Pick<Config, 'WEBHOOKS_FILE'>): boolean => WEBHOOKS_FILE !== undefined;

interface Log {
  info(message: string): void;
  error(message: string): void;
}

/** Reads the operator's files again. Keeps what was read before if a file is invalid. */
export function rereadFiles({ config, webhooks }: Pick<Service, 'config' | 'webhooks'>, log: Log): void {
  try {
    const receivers = readReceivers(config.WEBHOOKS_FILE);
    webhooks.use(receivers);
    log.info(`SIGHUP: WEBHOOKS_FILE lists ${receivers.length} receivers`);
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    log.error(`SIGHUP: kept the former receivers: ${error.message}`);
  }
}
