import type { Call, CallProvider, SpokenCall } from '../phone-calls/provider.ts';
import { orderedId } from '../store/ordered-id.ts';
import type { Inbox, InboxCall } from './inbox.ts';

/** Numbers that no phone company gives to anyone: 555 in Washington. */
const callerOf = (code: string): string => `+1 202 555 ${code}`;
const speaker = callerOf('0100');

/** Instead of a call provider on a developer's machine: the phone rings in `/dev/inbox/`, and the code is nowhere else. */
export function developmentPhone(inbox: Pick<Inbox, 'calls'>, now: () => number = Date.now): CallProvider {
  async function ring({ phone }: Call, heard: Pick<InboxCall, 'from' | 'way' | 'spoken'>) {
    await inbox.calls.add({ id: orderedId(), at: new Date(now()).toISOString(), to: phone, ...heard });
    return { kind: 'ours' } as const;
  }
  return {
    name: 'development',
    place: (call) => ring(call, { from: callerOf(call.code), way: 'ring' }),
    speak: (call) => ring(call, { from: speaker, way: 'voice', spoken: sentenceOf(call) }),
    examine: async () => ({ warning: 'calls ring in the development inbox and nowhere else' }),
  };
}

/** Digit by digit, as a voice says them. */
const sentenceOf = ({ introduction, code }: SpokenCall): string =>
  [...(introduction ? [introduction] : []), [...code].join(' ')].join(' ');
