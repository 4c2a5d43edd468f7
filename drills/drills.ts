import type { Drill } from './drill.ts';

/** Loaded on demand, so that running one drill does not load the others. */
const drills: Readonly<Record<string, () => Promise<{ readonly drill: Drill }>>> = {
  kill: () => import('./failures/kill.ts'),
  tabs: () => import('./nodes/tabs.ts'),
  nodes: () => import('./nodes/nodes.ts'),
  'second-step': () => import('./nodes/second-step.ts'),
  database: () => import('./failures/database.ts'),
  failover: () => import('./failures/failover.ts'),
  cuts: () => import('./failures/cuts.ts'),
  pooler: () => import('./failures/pooler.ts'),
  bombs: () => import('./failures/bombs.ts'),
  disk: () => import('./failures/disk.ts'),
  flood: () => import('./flood/flood.ts'),
  clock: () => import('./nodes/clock.ts'),
  deploy: () => import('./nodes/deploy.ts'),
  rotate: () => import('./nodes/rotate.ts'),
  calls: () => import('./calls/calls.ts'),
  mail: () => import('./mail/mail.ts'),
  apps: () => import('./apps/apps.ts'),
  webhooks: () => import('./webhooks/webhooks.ts'),
  night: () => import('./devices/night.ts'),
  rollout: () => import('./devices/rollout.ts'),
};

export const drillNames: readonly string[] = Object.keys(drills);

export async function loadDrill(name: string): Promise<Drill> {
  const found = Object.hasOwn(drills, name) ? drills[name] : undefined;
  if (!found) throw new Error(`There is no drill "${name}"; choose from ${drillNames.join(', ')}.`);
  return (await found()).drill;
}
