import { openClient } from '../../src/testing/client.ts';
import { openTestNode } from '../../src/testing/test-node.ts';
import type { Scene } from '../drill.ts';
import type { Stage } from '../fixtures/stage.ts';
import { judged, type Row } from '../table.ts';
import { openCallStub, ringing } from './call-stub.ts';

const requests = 1000;
const networks = 30;
const maxConcurrent = 10;
/** Calls placed out of the thousand; each costs money, and none is confirmed. */
const maxPlaced = 40;

/** A service with default settings, which calls every country, and an attacker who earns from calls to one range. */
async function play(stage: Stage): Promise<Row> {
  const stub = await openCallStub((response, body) => ringing.webhook?.(response, body));
  stage.atEnd(() => stub.close());
  const service = await openTestNode({
    database: await stage.fresh('sqlite'),
    settings: {
      PHONE_CONFIRMATION: 'required',
      CALL_PROVIDERS: 'webhook',
      WEBHOOK_CALL_URL: stub.url,
      WEBHOOK_CALL_SECRET: 'a-secret-of-the-drill',
      CALLS_PER_PREFIX: '',
      CALLS_PER_COUNTRY: '',
      CALLS_PER_NETWORK: '',
    },
    clock: { offset: 0 },
  });
  stage.atEnd(() => service.close());
  const statuses: number[] = [];
  const began = performance.now();
  const fraudster = async (first: number) => {
    for (let at = first; at < requests; at += maxConcurrent) {
      const browser = openClient(service.url, { ip: `198.18.${at % networks}.${1 + Math.floor(at / networks)}` });
      const phone = `+535${2_000_000 + at * 1237}`;
      statuses.push((await browser.post('/auth/phone/call', { phone, locale: 'es' })).status);
    }
  };
  await Promise.all(Array.from({ length: maxConcurrent }, (_, first) => fraudster(first)));
  const placed = stub.asked.length;
  const responses = new Set(statuses);
  return judged(
    {
      'first provider': `${requests} requests from ${networks} networks for one range`,
      response: [...responses].toSorted().join(', '),
      ms: Math.round(performance.now() - began),
      'requests by provider': `webhook ${placed}×`,
      confirmation: '–',
    },
    {
      'some calls are placed': placed > 0,
      [`at most ${maxPlaced} calls are placed`]: placed <= maxPlaced,
      'all other requests get a 429': [...responses].every((status) => status === 201 || status === 429),
    },
  );
}

export const tollFraud: Scene = { name: 'toll fraud', play };
