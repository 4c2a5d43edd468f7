import type { Config } from './settings/config.ts';

/** Names of the backups that an installation makes in its BACKUP_DIR. */
export interface BackupNames {
  /** For a backup that starts at this time, in milliseconds since the epoch. */
  nameAt(at: number): string;
  /** When a backup was started, in milliseconds since the epoch; undefined for any file that is not this installation's. */
  startOf(file: string): number | undefined;
  /** Whether a killed process left the file of a backup, or one of SQLite's files beside it. */
  isUnfinished(file: string): boolean;
}

const time = /^(\d{4}-\d\d-\d\d)T(\d\d)-(\d\d)-(\d\d)\.sqlite(\.unfinished.*)?$/;

/**
 * Others may share the folder, such as a staging installation, so each name has the host of PUBLIC_URL, which is the same
 * after a move to another machine or a rotation of the keys.
 */
export function backupNames({ PUBLIC_URL }: Pick<Config, 'PUBLIC_URL'>): BackupNames {
  const prefix = `vestibule-${new URL(PUBLIC_URL).host.replaceAll(/[^\w.]+/g, '-')}-`;
  const partsOf = (file: string) => (file.startsWith(prefix) ? time.exec(file.slice(prefix.length)) : null) ?? [];

  return {
    nameAt: (at) => `${prefix}${new Date(at).toISOString().slice(0, 19).replaceAll(':', '-')}.sqlite`,
    startOf(file) {
      const [, day, hour, minute, second, unfinished] = partsOf(file);
      if (day === undefined || unfinished !== undefined) return undefined;
      return Date.parse(`${day}T${hour}:${minute}:${second}Z`);
    },
    isUnfinished: (file) => partsOf(file)[5] !== undefined,
  };
}
