import { readFileSync, writeFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { minutes, seconds } from '../../src/contract/units.ts';
import { copyProject } from '../../src/testing/folders.ts';
import { freePort } from '../../src/testing/free-port.ts';
import { type Drill, judged, type Row, type Stage } from '../drill.ts';
import { documentedBlock, startNginx, withoutExamples } from '../fixtures/programs.ts';
import { openRoundRobin } from '../fixtures/proxies.ts';
import type { Service } from '../fixtures/service.ts';
import { keepVisiting, kindsOf, registerPeople } from '../fixtures/visitors.ts';

const clients = 6;
/** Milliseconds that service managers allow. */
const stopsWithin = seconds(10);
/** Proxies check readiness every second or two. */
const proxyNoticesWithin = seconds(2);
const newId = 'drill00build';

/** Replaces two nodes behind a proxy one after the other with nodes of another build, under load. */
async function play(stage: Stage): Promise<Row> {
  const database = await stage.fresh('postgres');
  const proxy = await openRoundRobin();
  stage.atEnd(() => proxy.close());
  const folder = anotherBuild(stage);
  const old = [await stage.start({ database }), await stage.start({ database })];
  for (const node of old) proxy.add(node);
  const stop = keepVisiting(proxy.url, await registerPeople(proxy.url, clients));
  await pause(seconds(2));

  const stopped: number[] = [];
  const seenBuilds = new Set<string>();
  for (const leaving of old) {
    const coming = await stage.start({ database, folder });
    proxy.add(coming);
    await pause(seconds(1));
    for (const node of [leaving, coming]) seenBuilds.add(await buildOf(node));
    stopped.push(await leaving.stop());
    proxy.remove(leaving);
  }
  await pause(seconds(2));
  const { requests, failed } = await stop();
  return judged(
    {
      nodes: '2 of one build, then 2 of another',
      'builds side by side': seenBuilds.size,
      requests,
      failed: failed.length,
      which: kindsOf(failed),
      'old nodes stop after, ms': stopped.join(', '),
    },
    {
      'no request fails': failed.length === 0,
      'there were two builds': seenBuilds.size === 2,
      'each old node stops within 10 s': Math.max(...stopped) <= stopsWithin,
      'each old node waits until its proxy has noticed': Math.min(...stopped) >= proxyNoticesWithin,
      'there was load': requests > 50,
    },
  );
}

/**
 * Restarts two nodes in place, one after the other and without a pause, with another build, behind nginx with the block of
 * docs/run.md. Only the addresses differ, and visitors use plain HTTP.
 */
async function playBehindNginx(stage: Stage): Promise<Row> {
  const database = await stage.fresh('postgres');
  const folder = anotherBuild(stage);
  const nodes = [await stage.start({ database }), await stage.start({ database })];
  const [first, second] = nodes as [Service, Service];
  const port = await freePort();
  const block = withoutExamples(documentedBlock('nginx', 'run.md'), {
    'server 10.0.0.11:3000': `server 127.0.0.1:${first.port}`,
    'server 10.0.0.12:3000': `server 127.0.0.1:${second.port}`,
    'server 10.0.0.13:3000 max_fails=0;': '',
    'listen 443 ssl;': `listen 127.0.0.1:${port};`,
    'listen [::]:443 ssl;': '',
    'http2 on;': '',
    'ssl_certificate     /etc/letsencrypt/live/account.example.com/fullchain.pem;': '',
    'ssl_certificate_key /etc/letsencrypt/live/account.example.com/privkey.pem;': '',
  });
  await startNginx(stage, { block, port });
  const url = `http://127.0.0.1:${port}`;
  const stop = keepVisiting(url, await registerPeople(url, clients));
  await pause(seconds(2));
  for (const { stop: leave, port: same } of nodes) {
    await leave();
    await stage.start({ database, folder, port: same });
  }
  await pause(seconds(2));
  const { requests, failed } = await stop();
  return judged(
    { nodes: '2, restarted in place behind nginx', requests, failed: failed.length, which: kindsOf(failed) },
    { 'no request fails': failed.length === 0, 'there was load': requests > 50 },
  );
}

/** A copy of the product with another build id, and therefore with other pages and assets. */
function anotherBuild(stage: Stage): string {
  const copy = copyProject({ built: true });
  stage.atEnd(() => copy.remove());
  const file = copy.path('dist', 'client', 'build.json');
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), id: newId }));
  return copy.path();
}

async function buildOf({ url }: Service): Promise<string> {
  const manifest = await fetch(`${url}/builds/latest.json`);
  return ((await manifest.json()) as { id: string }).id;
}

export const drill: Drill = {
  promise:
    'No request fails during a deploy, while nodes of two builds run side by side and are replaced one after another.',
  maxConcurrent: 1,
  scenes: [
    { name: 'two builds (postgres)', within: minutes(4), play },
    { name: 'nginx as documented (postgres)', within: minutes(4), play: playBehindNginx },
  ],
};
