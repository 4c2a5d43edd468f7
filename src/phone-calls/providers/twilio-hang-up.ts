import { setTimeout as pause } from 'node:timers/promises';
import * as z from 'zod/mini';
import { seconds } from '../../contract/durations.ts';
import { form, parseResponse } from '../requests/provider-request.ts';
import type { AskTwilio } from './twilio-api.ts';

const status = z.object({ status: z.string() });

const lookEvery = seconds(0.7);
/** Long enough for the phone to show the caller and list a missed call. */
const ringsFor = seconds(1.5);
/** After this time, the call's own limit has ended it. */
const lookFor = seconds(30);
const answerWithin = seconds(2);

/**
 * Cancels a call once it rings. Continues after our response to the user and fails silently: if Twilio does not respond
 * or this process ends, the call stops at its own limit, and its TwiML hangs up if the user answers.
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
