import type { ReactNode } from 'react';
import type { Endpoint } from '../contract/endpoint.ts';
import type { FailureCode } from '../contract/failures.ts';
import { csrf } from '../contract/session.ts';
import type { PageSettings } from '../contract/settings.ts';
import type { MessageId } from '../messages/ids.ts';
import type { FailureMessage } from '../messages/proofs.ts';
import type { Act } from './acts.ts';
import { answers, breaks, loses, type Reply, refuses } from './replies.ts';

/** One state of a screen or of a component. */
export interface State {
  /** What it says; without these words it is not this state. */
  readonly shows: readonly MessageId[];
  /** Of the operator, where they differ from those of the service that runs. */
  readonly settings?: Partial<PageSettings>;
  /** Puts things where the screen looks for them, before it is shown. */
  readonly before?: () => void;
  /** How requests are answered; one that nothing is said about stays under way. */
  readonly replies?: readonly Reply[];
  /** What somebody does, one thing after the other. */
  readonly acts?: readonly Act[];
  /** The next page takes longer than a second. */
  readonly slow?: true;
  /** Why the next page does not come. */
  readonly unanswered?: 'frame.unreached' | 'frame.overdue';
  /** Of a component: itself, in place of the page's screen. */
  readonly show?: ReactNode;
}

/** The states of one thing, declared in a `*.states.tsx` beside it. */
export interface States {
  /** What has them, in a word or two. */
  readonly of: string;
  /** Name in `pages.ts`: of the screen, or of a page that has the component's texts. */
  readonly page: string;
  /** By their names, in the order in which people meet them. */
  readonly states: Readonly<Record<string, State>>;
}

interface Refused {
  /** The state in which the request is sent, and how that comes about. */
  readonly from: Omit<State, 'shows'>;
  /** What a failure says besides its code. */
  readonly details?: Partial<Record<FailureCode, Parameters<typeof refuses>[2]>>;
  /** Where the screen has words of its own for it. */
  readonly words?: Partial<Record<FailureCode, MessageId>>;
}

/** How a screen says each failure of an endpoint, of the network, and of what is in between: a state each. */
export function refusalsOf(endpoint: Endpoint, { from, details = {}, words = {} }: Refused): Record<string, State> {
  const state = (reply: Reply, shows: MessageId): State => ({
    ...from,
    // The page asks for another token before it believes that its own is refused.
    replies: [reply, answers(csrf, undefined), ...(from.replies ?? [])],
    shows: [shows],
  });
  const refused = (Object.keys(endpoint.failures) as FailureCode[]).map((code) => [
    `refused: ${code.replaceAll('_', ' ')}`,
    state(refuses(endpoint, code, details[code]), words[code] ?? (`failure.${code}` as FailureMessage)),
  ]);
  return {
    ...Object.fromEntries(refused),
    'refused: by a gateway': state(breaks(endpoint, 502), 'failure.unknown'),
    'refused: not found': state(breaks(endpoint, 404), 'failure.not_found'),
    'no answer': state(loses(endpoint), 'failure.no_answer'),
  };
}
