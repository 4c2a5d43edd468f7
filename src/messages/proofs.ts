import type { EndReason, FailureCode, FieldCode, ProgramFailureCode } from '../contract/failures.ts';
import type { MessageId } from './ids.ts';

/** Does not compile if a required message is missing from en.po; the error names it. */
type Written<Needed extends MessageId> = Needed;

export type FailureMessage = Written<`failure.${Exclude<FailureCode, ProgramFailureCode>}`>;
export type FieldMessage = Written<`invalid.${FieldCode}`>;
/** Visitors who have no session yet see no message. */
export type SessionEndedMessage = Written<`session_ended.${Exclude<EndReason, 'no_session'>}`>;
