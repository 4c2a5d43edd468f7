import { existsSync, readFileSync, statfsSync } from 'node:fs';
import { freemem, homedir, networkInterfaces, version as systemVersion, totalmem, uptime } from 'node:os';
import { readJson, seenFile, writeWhole } from './data-folder.mjs';
import { record } from './spool.mjs';

/** In percent; on Linux. */
const batteryFile = '/sys/class/power_supply/BAT0/capacity';
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

/** The share of the disk, and of its places for files, that is free; a bit more ends the warning. */
const lowDisk = 0.05;
const enoughDisk = 0.06;
/** In percent. */
const lowBattery = 15;

const gigabytes = (/** @type {number} */ bytes) => (bytes / 1e9).toFixed(1);

/** The states to check each time. Each change becomes a record of the corresponding kind. */
const observations = [
  {
    what: 'network',
    look: () => {
      const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
      const isThere = all.some(({ internal }) => !internal);
      return isThere
        ? { kind: 'network_back', text: 'The network is back.' }
        : { kind: 'network_lost', text: 'The network was lost.' };
    },
    usual: 'network_back',
  },
  {
    what: 'disk',
    look: (/** @type {string} */ before) => {
      const { bavail, blocks, bsize, ffree, files } = statfsSync(homedir());
      const least = before === 'disk_low' ? enoughDisk : lowDisk;
      const space = `${gigabytes(bavail * bsize)} of ${gigabytes(blocks * bsize)} GB free`;
      if (bavail / blocks < least)
        return { kind: 'disk_low', text: `There is little space left on the disk: ${space}.` };
      // Some file systems have no fixed number of files.
      if (files > 0 && ffree / files < least)
        return { kind: 'disk_low', text: `There is little room for more files on the disk: ${ffree} of ${files}.` };
      return { kind: 'disk_enough', text: `There is enough space on the disk again: ${space}.` };
    },
    usual: 'disk_enough',
  },
  {
    what: 'battery',
    look: () => {
      return existsSync(batteryFile) && Number(readFileSync(batteryFile, 'utf8')) <= lowBattery
        ? { kind: 'battery_low', text: 'The battery is low.' }
        : { kind: 'battery_enough', text: 'The battery is charged again.' };
    },
    usual: 'battery_enough',
  },
];

/** @type {Map<string, unknown> | undefined} */
let seen;

/**
 * Records changes of state. Keeps the last states on disk, so that a recovery is also reported after a restart, and in
 * memory, so that a full disk is reported once.
 */
export function recordChanges() {
  seen ??= new Map(Object.entries(readJson(seenFile)));
  for (const { what, look, usual } of observations) {
    try {
      const before = String(seen.get(what) ?? usual);
      const { kind, text } = look(before);
      if (kind === before) continue;
      record(kind, text);
      seen.set(what, kind);
      writeWhole(seenFile, JSON.stringify(Object.fromEntries(seen)));
    } catch {
      // States that this system does not provide are skipped, and a full disk is no obstacle.
    }
  }
}
