import { existsSync, readFileSync, statfsSync } from 'node:fs';
import { freemem, homedir, networkInterfaces, version as systemVersion, totalmem, uptime } from 'node:os';

/** In percent; on Linux. */
export const batteryFile = '/sys/class/power_supply/BAT0/capacity';
/** The service refuses more. */
const maxAddresses = 16;

/**
 * What the service shows about this computer. A value that the system does not provide is left out.
 * @returns {Record<string, unknown>}
 */
export function readReadings() {
  const sources = {
    disk_free: () => spaceOf(({ bavail, bsize }) => bavail * bsize),
    disk_size: () => spaceOf(({ blocks, bsize }) => blocks * bsize),
    memory_free: freemem,
    memory_size: totalmem,
    battery: () => (existsSync(batteryFile) ? Math.min(100, Number(readFileSync(batteryFile, 'utf8'))) : undefined),
    uptime: () => Math.round(uptime()),
    addresses: () =>
      Object.values(networkInterfaces())
        .flatMap((all) => all ?? [])
        .filter(({ internal, scopeid }) => !internal && !scopeid)
        .map(({ address }) => address)
        .slice(0, maxAddresses),
    system: () => systemName().slice(0, 99) || undefined,
  };
  return Object.fromEntries(
    Object.entries(sources).map(([name, read]) => {
      try {
        return [name, read()];
      } catch {
        return [name, undefined];
      }
    }),
  );
}

const spaceOf = (/** @type {(disk: import('node:fs').StatsFs) => number} */ part) => part(statfsSync(homedir()));

/** Linux distributions name themselves in this file; Windows and macOS in their version. */
function systemName() {
  const file = '/etc/os-release';
  const named = existsSync(file) ? /^PRETTY_NAME="?([^"\n]+)/m.exec(readFileSync(file, 'utf8')) : null;
  return named?.[1] ?? systemVersion();
}
