import { setTimeout as pause } from 'node:timers/promises';
import * as z from 'zod/mini';
import { seconds } from '../../contract/durations.ts';
import { form, parseResponse } from '../provider-request.ts';
import type { AskTwilio } from './twilio-api.ts';

const status = z.object({ status: z.string() });

const lookEvery = seconds(0.7);
/** Long enough for the phone to show who calls, and to note it as missed. */
const ringsFor = seconds(1.5);
/** The call's own limit has ended it by then. */
const lookFor = seconds(30);
const answerWithin = seconds(2);

/**
 * Cancels a call once it rings. Goes on after the person has been answered, and fails silently: a call that nobody cancels,
 * because Twilio does not answer or this process ends, stops by its own limit and is hung up on when it is answered.
 */
export function hangUpOnRinging(ask: AskTwilio, callSid: string): void {
  const path = `/Calls/${callSid}.json`;
  const within = () => AbortSignal.timeout(answerWithin);
  const wait = (milliseconds: number) => pause(milliseconds, undefined, { ref: false });

  const look = async () => parseResponse(status, await ask({ method: 'GET', path, signal: within() })).status;

  async function watch(): Promise<void> {
    const end = performance.now() + lookFor;
    while (performance.now() < end) {
      await wait(lookEvery);
      const now = await look().catch(() => 'unknown');
      if (now === 'queued' || now === 'initiated' || now === 'unknown') continue;
      if (now !== 'ringing') return;
      await wait(ringsFor);
      await ask({ method: 'POST', path, body: form({ Status: 'canceled' }), signal: within() });
      return;
    }
  }

  watch().catch(() => undefined);
}
