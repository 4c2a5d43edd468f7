import { type ComponentType, type KeyboardEvent, useEffect, useEffectEvent, useRef, useState } from 'react';
import { Paragraph, Text } from '../../../browser/language/text.tsx';
import { useCountdown } from '../../../browser/platform/timers.ts';
import type { RequestFailure } from '../../../browser/requests/request-status.ts';
import { minutes } from '../../../contract/units.ts';
import type { MessageId } from '../../../messages/ids.ts';
import { Button } from '../../../ui/button.tsx';
import { Notice } from '../../../ui/feedback/feedback.tsx';
import { Fold } from '../../../ui/fields/choice-fields.tsx';
import { DigitsInput } from '../../../ui/fields/code-field.tsx';
import { Field, FieldError, inputProps } from '../../../ui/fields/field.tsx';
import { icon } from '../../../ui/icons.tsx';
import { type AwaitedCall, isMessage, type PhoneConfirmation, type Way } from '../use-confirm-phone.part.ts';
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
      {ended && !refusal && <Notice kind="danger" role="alert" text={endOf(ended, way)} />}
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
          <Paragraph
            role="timer"
            className={css.clock}
            id={rings(way) ? 'phone.resend_in' : 'phone.again_in'}
            values={{ time: clock }}
          />
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

/** A number reserved for fiction, and the digits of it that a user would type. */
const example = { start: '+1\u00a0202\u00a0555\u00a0', digits: '0147' };

const Receiver = icon(
  <path d="M6.6 3.2 4.3 4C3.2 4.5 3 5.7 3.3 6.9a14 14 0 0 0 9.8 9.8c1.2.3 2.4.1 2.9-1l.8-2.3-3.7-2-1.7 1.6a9.5 9.5 0 0 1-4.4-4.4l1.6-1.7z" />,
);

const labels = {
  ring: 'phone.digits',
  voice: 'phone.voice_digits',
  whatsapp: 'phone.whatsapp_digits',
  telegram: 'phone.telegram_digits',
  sms: 'phone.sms_digits',
} as const;

/** The caller's number as a phone displays it. */
const Example = () => (
  <span className={css.caller}>
    <Receiver />
    {example.start}
    <b>{example.digits}</b>
  </span>
);

interface DigitsProps {
  confirmation: PhoneConfirmation;
  way: keyof typeof labels;
  /** Allowed digit counts. */
  lengths: readonly number[];
}

/** If the provider could not check the digits, the call itself has not failed. */
const textOf = (failure: RequestFailure) =>
  failure.code === 'call_failed' ? ({ id: 'failure.try_again_later' } as const) : failure.text;

/** Field for the digits; accepts a whole pasted number. Sends the digits once they are complete. */
function Digits({ confirmation, way, lengths }: DigitsProps) {
  const { field, check, checkAgain, checking, checked, inUse, moveFocus } = confirmation;
  const input = useRef<HTMLInputElement>(null);
  /** The last response that the user has reacted to by typing. */
  const [heeded, setHeeded] = useState<number>();

  // biome-ignore lint/correctness/useExhaustiveDependencies: runs on mount only; a reload does not move the focus
  useEffect(() => {
    if (inUse) moveFocus(input.current);
  }, []);
  const typed = () => input.current?.value ?? '';
  const sent = useRef<string>(undefined);
  const settle = useEffectEvent((error: RequestFailure) => {
    // The user has corrected the digits while the wrong ones were checked.
    const isCorrected = sent.current !== undefined && sent.current !== checked.current && sent.current === typed();
    if (isCorrected && error.code === 'digits_incorrect') check(typed());
    else input.current?.select();
  });
  useEffect(() => {
    if (checking.error) settle(checking.error);
  }, [checking.error]);

  function confirm(): void {
    // Enter after the last digit, as many people type: the same wrong digits must not cost a second attempt. The response
    // may have arrived since this component last rendered.
    const isRefused = checking.state === 'pending' || checking.error?.code === 'digits_incorrect';
    if (sent.current === typed() && isRefused) return;
    sent.current = typed();
    check(typed());
  }
  const confirmByEnter = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.nativeEvent.isComposing) return;
    // Enter must not submit the surrounding form.
    event.preventDefault();
    confirm();
  };

  const failure = checking.lastUpdate === heeded ? undefined : checking.error;
  const wrong = failure?.fields.find((one) => one.field === 'digits');
  const digits = { id: field.id, name: 'digits', value: '', error: wrong ?? field.error };
  const hint = way === 'ring' && (
    <Text
      id="phone.digits_hint"
      values={{ example: example.start, digits: example.digits }}
      drawn={{ example: <Example />, digits: <b>{example.digits}</b> }}
    />
  );
  const refusal = failure && !wrong && <Text {...textOf(failure)} />;
  return (
    <Field field={digits} label={labels[way]} hint={hint} refusal={refusal}>
      <div className={css.line}>
        <DigitsInput
          {...inputProps({ ...digits, error: digits.error ?? failure }, hint)}
          ref={input}
          lengths={lengths}
          onComplete={() => sent.current !== typed() && confirm()}
          type="text"
          inputMode="numeric"
          enterKeyHint="done"
          autoComplete={way === 'sms' ? 'one-time-code' : 'off'}
          dir="ltr"
          onKeyDown={confirmByEnter}
          onInput={() => {
            sent.current = undefined;
            setHeeded(checking.lastUpdate);
          }}
        />
        <Button
          label="phone.confirm"
          busy={checking.state === 'pending' ? 'form.wait' : undefined}
          quiet
          narrow
          onClick={confirm}
          retry={() => checkAgain(typed())}
        />
      </div>
    </Field>
  );
}

/** The number to call, as a link and, on devices with a mouse, a QR code; the page detects the call itself. */
function ReverseCall({ number }: { number: string }) {
  const QrCode = useQrCode();
  const address = `tel:${number.replaceAll(/[^+\d]/g, '')}`;
  return (
    <div className={css.call}>
      <Paragraph id="phone.reverse_how" />
      <a className={css.number} href={address} dir="ltr">
        {number}
      </a>
      {QrCode && <QrCode text={address} label="phone.reverse_qr" />}
    </div>
  );
}

type Code = ComponentType<{ text: string; label: MessageId }>;

/** Only on devices with a mouse, whose users scan it with a phone; if it fails to load, the number remains. */
function useQrCode(): Code | undefined {
  const [code, setCode] = useState<{ readonly Code: Code }>();
  useEffect(() => {
    if (!matchMedia('(pointer: fine)').matches) return;
    import('../../../ui/qr-code.tsx').then(({ QrCode }) => setCode({ Code: QrCode })).catch(() => undefined);
  }, []);
  return code?.Code;
}
