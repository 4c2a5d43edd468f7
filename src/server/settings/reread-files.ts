import { readReceivers } from '../../webhooks/receivers-file.ts';
import type { Service } from '../service.ts';
import { loadClientsFile } from './clients-file.ts';
import type { Config } from './config.ts';

/** Whether there are files to read again on SIGHUP. */
export const hasFiles = ({ WEBHOOKS_FILE, CLIENTS_FILE }: Config): boolean =>
  WEBHOOKS_FILE !== undefined || CLIENTS_FILE !== undefined;

interface Log {
  info(details: object, message: string): void;
  error(details: object, message: string): void;
}

type Rereading = Pick<Service, 'config' | 'webhooks' | 'store' | 'now'>;

/** Reads the operator's files again. Keeps what it read before from a file that is invalid now. */
export async function rereadFiles({ config, webhooks, store, now }: Rereading, log: Log): Promise<void> {
  const { WEBHOOKS_FILE, CLIENTS_FILE } = config;
  try {
    if (WEBHOOKS_FILE) {
      const receivers = readReceivers(WEBHOOKS_FILE);
      webhooks.use(receivers);
      log.info({ receivers: receivers.length }, 'read WEBHOOKS_FILE');
    }
  } catch (error) {
    log.error({ err: error }, 'cannot read WEBHOOKS_FILE; the previous receivers stay');
  }
  try {
    if (CLIENTS_FILE) log.info(await loadClientsFile({ store, file: CLIENTS_FILE, now: now() }), 'read CLIENTS_FILE');
  } catch (error) {
    log.error({ err: error }, 'cannot read CLIENTS_FILE; the previous clients stay');
  }
}
