import type { EndReason, FailureCode, FieldCode, ProgramFailureCode } from '../contract/failures.ts';
import type { MessageId } from './ids.ts';

/** Does not compile when a message that is needed is missing from en.po; the error names it. */
type Written<Needed extends MessageId> = Needed;

export type FailureMessage = Written<`failure.${Exclude<FailureCode, ProgramFailureCode>}`>;
export type FieldMessage = Written<`invalid.${FieldCode}`>;
/** Whoever has no session yet is told nothing. */
export type SessionEndedMessage = Written<`session_ended.${Exclude<EndReason, 'no_session'>}`>;
