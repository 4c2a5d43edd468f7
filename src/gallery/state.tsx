import type { ReactNode } from 'react';
import type { FormField } from '../browser/forms/form.ts';
import { type Endpoint, shapeFailures } from '../contract/endpoint.ts';
import type { FailureCode } from '../contract/failures.ts';
import type { PageSettings } from '../contract/settings.ts';
import { csrf } from '../contract/sign-in/admission.ts';
import type { MessageId } from '../messages/ids.ts';
import type { FailureMessage } from '../messages/proofs.ts';
import { Stack, Title } from '../ui/layouts/card.tsx';
import { ClearLayout } from '../ui/layouts/frame.tsx';
import type { Act } from './acts.ts';
import { answers, breaks, loses, type Reply, refuses } from './replies.ts';

/** One state of a screen or of a component. */
export interface State {
  /** Texts that it shows; the test fails if one is missing. */
  readonly shows: readonly MessageId[];
  /** The operator's settings, if they differ from `page-settings.ts`. */
  readonly settings?: Partial<PageSettings>;
  /** Prepares storage and the document before the screen is shown. */
  readonly before?: () => void;
  /** The query of the page's address, and the parameters of its path. */
  readonly search?: string;
  readonly params?: Readonly<Record<string, string>>;
  /** Responses to requests; a request without a reply stays pending. */
  readonly replies?: readonly Reply[];
  /** User actions, in order. */
  readonly acts?: readonly Act[];
  /** The next page takes longer than a second. */
  readonly slow?: true;
  /** Why the next page does not load. */
  readonly unanswered?: 'frame.unreached' | 'frame.overdue';
  /** Another form shows the same failure in the same place. */
  readonly repeated?: true;
  /** A component to show instead of the page's screen. */
  readonly show?: ReactNode;
}

/** The states of one thing, declared in a `*.states.tsx` beside it. */
export interface States {
  /** Name of the screen or component, in a word or two. */
  readonly of: string;
  /** Name in `pages.ts` of the screen's page, or of a page that has the component's texts. */
  readonly page: string;
  /** States by name, in the order in which users see them. */
  readonly states: Readonly<Record<string, State>>;
}

interface Refused {
  /** The state that sends the request. */
  readonly from: Omit<State, 'shows'>;
  /** Details of a failure besides its code. */
  readonly details?: Partial<Record<FailureCode, Parameters<typeof refuses>[2]>>;
  /** Failures for which the screen has its own text. */
  readonly words?: Partial<Record<FailureCode, MessageId>>;
}

/** A refusal that the page does not show: a dialog asks for the password, and then the page repeats the request. */
const usual: Refused['details'] = { step_up_required: { ways: ['password'] } };
const shown: Refused['words'] = { step_up_required: 'step_up.lead' };

const failuresOfAnyForm: readonly FailureCode[] = [
  ...shapeFailures,
  'too_many_requests',
  'not_found',
  'try_again_later',
];

const textOf = (code: FailureCode) => `failure.${code}` as FailureMessage;

/** One state for each failure of an endpoint, of the network, and of a gateway. */
export function refusalsOf(endpoint: Endpoint, { from, details = {}, words = {} }: Refused): Record<string, State> {
  const state = (reply: Reply, shows: MessageId, repeated: boolean): State => ({
    ...from,
    ...(repeated && { repeated }),
    // The page fetches a new CSRF token and retries before it reports `csrf_failed`.
    replies: [reply, answers(csrf, undefined), ...(from.replies ?? [])],
    shows: [shows],
  });
  const refused = (Object.keys(endpoint.failures) as FailureCode[]).map((code) => [
    `refused: ${code.replaceAll('_', ' ')}`,
    state(
      refuses(endpoint, code, details[code] ?? usual?.[code]),
      words[code] ?? shown?.[code] ?? textOf(code),
      failuresOfAnyForm.includes(code) && !details[code] && !words[code],
    ),
  ]);
  return {
    ...Object.fromEntries(refused),
    'refused: by a gateway': state(breaks(endpoint, 502), 'failure.unknown', true),
    'refused: not found': state(breaks(endpoint, 404), 'failure.not_found', !('not_found' in endpoint.failures)),
    'no response': state(loses(endpoint), 'failure.no_answer', true),
  };
}

/** A component alone on a page that names it. */
export const specimen = (title: string, children: ReactNode): Pick<State, 'show' | 'shows'> => ({
  shows: [],
  show: (
    <ClearLayout>
      <Title>{title}</Title>
      <Stack>{children}</Stack>
    </ClearLayout>
  ),
});

/** A field as a form passes it to its component. */
export const fieldOf = <Value extends string | boolean>(
  name: string,
  value: Value,
  error?: FormField['error'],
): FormField<Value> => ({ id: name, name, value, error });
