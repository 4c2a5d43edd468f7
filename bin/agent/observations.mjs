import { existsSync, readFileSync, statfsSync } from 'node:fs';
import { homedir, networkInterfaces } from 'node:os';
import { seenFile, writeWhole } from './data-folder.mjs';
import { record } from './spool.mjs';

/** The share of the disk that is free. */
const lowDisk = 0.05;
/** In percent. */
const lowBattery = 15;

/** The states to check each time. Each change becomes a record of the corresponding kind. */
const observations = [
  {
    what: 'network',
    look: () => {
      const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
      return all.some(({ internal }) => !internal) ? 'network_back' : 'network_lost';
    },
    usual: 'network_back',
    texts: { network_back: 'The network is back.', network_lost: 'The network was lost.' },
  },
  {
    what: 'disk',
    look: () => {
      const { bavail, blocks } = statfsSync(homedir());
      return bavail / blocks < lowDisk ? 'disk_low' : 'disk_enough';
    },
    usual: 'disk_enough',
    texts: {
      disk_low: 'There is little space left on the disk.',
      disk_enough: 'There is enough space on the disk again.',
    },
  },
  {
    what: 'battery',
    look: () => {
      const file = '/sys/class/power_supply/BAT0/capacity';
      return existsSync(file) && Number(readFileSync(file, 'utf8')) <= lowBattery ? 'battery_low' : 'battery_enough';
    },
    usual: 'battery_enough',
    texts: { battery_low: 'The battery is low.', battery_enough: 'The battery is charged again.' },
  },
];

/** Records changes of state. Keeps the last states on disk, so that a recovery is also reported after a restart. */
export function recordChanges() {
  const seen = new Map(Object.entries(existsSync(seenFile) ? JSON.parse(readFileSync(seenFile, 'utf8')) : {}));
  for (const { what, look, usual, texts } of observations) {
    try {
      const kind = look();
      if (kind === (seen.get(what) ?? usual)) continue;
      record(kind, texts[/** @type {keyof typeof texts} */ (kind)] ?? kind);
      seen.set(what, kind);
      writeWhole(seenFile, JSON.stringify(Object.fromEntries(seen)));
    } catch {
      // States that this system does not provide are skipped.
    }
  }
}
