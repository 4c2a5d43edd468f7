import { Text } from '../../../browser/language/text.tsx';
import { useCountdown } from '../../../browser/platform/countdown.ts';
import { minutes } from '../../../contract/durations.ts';
import type { MessageId } from '../../../messages/ids.ts';
import { Notice } from '../../../ui/feedback/notice.tsx';
import { FieldError } from '../../../ui/fields/field-error.tsx';
import { Fold } from '../../../ui/fields/fold.tsx';
import type { PhoneConfirmation } from '../use-confirm-phone.part.ts';
import { Digits } from './digits.part.tsx';
import { type AwaitedCall, isMessage, type Way } from './kept-call.part.ts';
import { ReverseCall } from './reverse-call.part.tsx';
import css from './waiting.module.css';
import { AskButton, ChangeButton, OtherWays } from './ways.part.tsx';

/** Upper bound of the server's pause between two calls, with a margin for clock changes. */
const longestWait = minutes(2);

const rings = (way: Way): boolean => way === 'ring' || way === 'voice';

export interface WaitingProps {
  confirmation: PhoneConfirmation;
  awaited: AwaitedCall;
}

const ends = {
  call_failed: 'failure.call_failed',
  call_expired: 'failure.call_expired',
  digits_used_up: 'failure.digits_used_up',
  confirmation_link_expired: 'failure.confirmation_link_expired',
} as const;

/** Why the digits cannot come any more, in the words of their way. */
function endOf(ended: keyof typeof ends, way: Way): MessageId {
  if (ended === 'call_expired' && way === 'reverse') return 'phone.reverse_expired';
  if (ended === 'call_failed' && isMessage(way)) return 'phone.message_failed';
  return ends[ended];
}

/** Shown while a call is pending: the digits, a button for another call once allowed, and help. */
export function Waiting({ confirmation, awaited }: WaitingProps) {
  const { field, refusal, refused } = confirmation;
  const { id, way, number, lengths, ended, resendAt } = awaited;
  const { left, clock } = useCountdown(resendAt, longestWait);
  // A failed call requires no pause.
  const free = left === 0 || ended === 'call_failed';
  // The refusal states a time; the countdown would contradict it.
  const isLimited = refusal?.code === 'too_many_calls';
  const isUsedUp = refusal?.ways !== undefined && refused === way && !refusal.ways.includes(way);
  return (
    <>
      {ended && !refusal && (
        <Notice kind="danger" role="alert">
          <Text id={endOf(ended, way)} />
        </Notice>
      )}
      {!ended && way === 'reverse' && number !== undefined && <ReverseCall number={number} />}
      {ended || way === 'mail' || way === 'reverse' ? (
        <FieldError field={field} />
      ) : (
        <Digits key={id} confirmation={confirmation} way={way} lengths={lengths} />
      )}
      <div className={css.next}>
        {free && !isUsedUp && (
          <AskButton
            confirmation={confirmation}
            way={way}
            look={ended ? 'quiet' : 'plain'}
            {...(rings(way) && { label: 'phone.resend' as const })}
          />
        )}
        {!free && !isLimited && way !== 'mail' && (
          <p role="timer" className={css.clock}>
            <Text id={rings(way) ? 'phone.resend_in' : 'phone.again_in'} values={{ time: clock }} />
          </p>
        )}
        <ChangeButton {...confirmation} />
      </div>
      {/* Offered immediately, for users who cannot take this call. */}
      <OtherWays confirmation={confirmation} besides={free ? [way] : [way, 'ring']} />
      {rings(way) && <Help way={way} />}
    </>
  );
}

const Help = ({ way }: { way: Way }) => (
  <Fold label={way === 'ring' ? 'phone.help_title' : 'phone.help_voice_title'} fields={[]}>
    <ul className={css.help}>
      <li>
        <Text id="phone.help_number" />
      </li>
      <li>
        <Text id="phone.help_missed" />
      </li>
      {way === 'ring' && (
        <li>
          <Text id="phone.help_withheld" />
        </li>
      )}
    </ul>
  </Fold>
);
