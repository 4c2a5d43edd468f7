import { SettingsError } from '../../contract/settings-error.ts';
import type { OwnPort } from '../../outbox/bounces/own-port.ts';

interface Ports {
  readonly PORT: number;
  readonly METRICS_PORT?: number | undefined;
  readonly BOUNCE_LISTEN?: OwnPort | undefined;
}

/** Refuses two servers of this process on one port: the error of the second one would blame another process. */
export function refuseSharedPorts({ PORT, METRICS_PORT, BOUNCE_LISTEN }: Ports): void {
  const problems = [
    METRICS_PORT === PORT && `METRICS_PORT: must not be ${PORT}, which is PORT`,
    BOUNCE_LISTEN?.port === PORT && `BOUNCE_LISTEN: must not use port ${PORT}, which is PORT`,
    METRICS_PORT !== undefined &&
      BOUNCE_LISTEN?.port === METRICS_PORT &&
      `BOUNCE_LISTEN: must not use port ${METRICS_PORT}, which is METRICS_PORT`,
  ].filter((problem) => typeof problem === 'string');
  if (problems.length > 0) throw new SettingsError(problems);
}
