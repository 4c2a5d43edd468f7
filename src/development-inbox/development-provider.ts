import type { Call, CallProvider, SpokenCall } from '../phone-calls/provider.ts';
import { orderedId } from '../store/ordered-id.ts';
import type { Inbox, InboxCall } from './inbox.ts';

/** Numbers that no phone company gives to anyone: 555 in Washington. */
const callerOf = (code: string): string => `+1 202 555 ${code}`;
const speaker = callerOf('0100');
const answeringMachine = callerOf('0199');

/** Instead of providers on a developer's machine: everything arrives at the phone of `/dev/inbox/`, and the code is nowhere else. */
export function developmentPhone(inbox: Pick<Inbox, 'calls'>, now: () => number = Date.now) {
  async function show({ phone }: Call, heard: Pick<InboxCall, 'from' | 'way' | 'spoken'>): Promise<string> {
    const id = orderedId();
    await inbox.calls.add({ id, at: new Date(now()).toISOString(), to: phone, ...heard });
    return id;
  }
  async function bring(call: Call, heard: Pick<InboxCall, 'from' | 'way' | 'spoken'>) {
    await show(call, heard);
    return { kind: 'ours' } as const;
  }
  return {
    name: 'development',
    place: (call) => bring(call, { from: callerOf(call.code), way: 'ring' }),
    speak: (call) => bring(call, { from: speaker, way: 'voice', spoken: sentenceOf(call) }),
    text: (call) => bring(call, { from: speaker, way: 'sms', spoken: call.message ?? call.code }),
    telegram: (call) => bring(call, { from: 'Telegram', way: 'telegram', spoken: call.code }),
    async await(call) {
      const reference = await show(call, { from: answeringMachine, way: 'reverse' });
      return { kind: 'awaited', number: answeringMachine.replaceAll(' ', ''), reference };
    },
    async arrived({ reference }) {
      const call = await inbox.calls.read(reference);
      if (!call) return 'expired';
      return call.called ? 'confirmed' : 'waiting';
    },
    examine: async () => ({ warning: 'calls and messages arrive in the development inbox and nowhere else' }),
  } satisfies CallProvider;
}

/** Digit by digit, as a voice says them. */
const sentenceOf = ({ introduction, code }: SpokenCall): string =>
  [...(introduction ? [introduction] : []), [...code].join(' ')].join(' ');
