import type { Call, CallProvider, SpokenCall } from '../phone-calls/provider.ts';
import { orderedId } from '../store/ordered-id.ts';
import type { Inbox, InboxCall } from './inbox.ts';

/** Numbers reserved for fiction: 555 in Washington. */
const callerOf = (code: string): string => `+1 202 555 ${code}`;
const speaker = callerOf('0100');
const answeringMachine = callerOf('0199');

/**
 * Replaces providers on a developer's machine: calls and messages, and the code in them, appear only on the phone of
 * `/dev/inbox/`.
 */
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
    whatsapp: (call) => bring(call, { from: 'WhatsApp', way: 'whatsapp', spoken: call.code }),
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
    examine: async () => ({ warning: 'calls and messages arrive only in the development inbox' }),
  } satisfies CallProvider;
}

/** The spoken sentence, with the digits one by one. */
const sentenceOf = ({ introduction, code }: SpokenCall): string =>
  [...(introduction ? [introduction] : []), [...code].join(' ')].join(' ');
