import { type ComponentType, type ReactNode, useEffect, useRef, useState } from 'react';
import type { FormField } from '../../browser/forms/form.ts';
import { Paragraph, Text } from '../../browser/language/text.tsx';
import { usePage } from '../../browser/navigation/page.tsx';
import type { RequestFailure } from '../../browser/requests/request-status.ts';
import { Notice } from '../../ui/feedback/feedback.tsx';
import { FieldError } from '../../ui/fields/field.tsx';
import { PhoneField } from '../../ui/fields/phone-field.tsx';
import { Tick } from '../../ui/icons.tsx';
import { Stack } from '../../ui/layouts/card.tsx';
import css from './confirm-phone.module.css';
import type { WaitingProps } from './steps/waiting.part.tsx';
import { AskButton, ChangeButton, OtherWays, useWays } from './steps/ways.part.tsx';
import { type AwaitedCall, hasDigits, isMessage, type PhoneConfirmation, type Way } from './use-confirm-phone.part.ts';

interface ConfirmPhoneProps {
  confirmation: PhoneConfirmation;
  optional?: boolean;
  /** Help for a refusal, shown after its text. */
  help?: (refusal: RequestFailure) => ReactNode;
}

/** Button beside a phone field, until a call is pending. */
function CallButton({ confirmation }: { confirmation: PhoneConfirmation }) {
  const [way = 'ring'] = useWays();
  if (confirmation.awaited || confirmation.confirmed) return null;
  return <AskButton confirmation={confirmation} way={way} id={confirmation.field.id} />;
}

/** Shown below a phone field: the explanation, the pending call, its digits, and the confirmed number. */
function ConfirmPhone({ confirmation, optional = false, help }: ConfirmPhoneProps) {
  const { field, confirmed, awaited, refusal, refused } = confirmation;
  const Waiting = useWaiting(awaited !== undefined || confirmation.chosenWay !== undefined);
  return (
    <div className={confirmed ? css.done : css.part}>
      <input type="hidden" name={field.name} />
      <Standing {...confirmation} />
      {refusal && (
        <Refused refusal={refusal} way={refused} moveFocus={confirmation.moveFocus}>
          {help?.(refusal)}
        </Refused>
      )}
      {awaited && Waiting && <Waiting confirmation={confirmation} awaited={awaited} />}
      {!awaited && !confirmed && <Asking confirmation={confirmation} optional={optional} />}
      {confirmed && <ChangeButton {...confirmation} />}
    </div>
  );
}

interface RefusedProps extends Pick<PhoneConfirmation, 'moveFocus'> {
  refusal: RequestFailure;
  way: Way | undefined;
  children: ReactNode;
}

/** Why no call was placed. Takes the focus, since the button may be the last line on the screen. */
function Refused({ refusal, way, moveFocus, children }: RefusedProps) {
  const noMessage = refusal.code === 'call_failed' && way !== undefined && isMessage(way);
  const notice = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs at each refusal
  useEffect(() => {
    moveFocus(notice.current);
  }, [refusal]);
  return (
    <Notice kind="danger" role="alert" ref={notice}>
      <Paragraph {...refusal.text} {...(noMessage && { id: 'phone.message_failed' })} />
      {children}
    </Notice>
  );
}

const loadAgainAfter = 2000;

/** The step after the request. It loads while the request is on its way, and again if the connection failed. */
function useWaiting(needed: boolean): ComponentType<WaitingProps> | undefined {
  const [part, setPart] = useState<{ readonly Waiting: ComponentType<WaitingProps> }>();
  const isMissing = needed && part === undefined;
  useEffect(() => {
    let retry: number | undefined;
    // Not `then(…, …)`: Vite moves that into its own call, which then rejects without a handler.
    const load = async () => {
      try {
        setPart(await import('./steps/waiting.part.tsx'));
      } catch {
        retry = window.setTimeout(load, loadAgainAfter);
      }
    };
    if (isMissing) void load();
    return () => clearTimeout(retry);
  }, [isMissing]);
  return part?.Waiting;
}

/** The current step, in one line that screen readers announce when it changes. */
function Standing({ field, confirmed, byMail, awaited, inUse, moveFocus }: PhoneConfirmation) {
  const line = useRef<HTMLDivElement>(null);
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs at each step
  useEffect(() => {
    // The focused element disappeared with the previous step.
    if (inUse && document.activeElement === document.body) moveFocus(line.current, { preventScroll: true });
  }, [inUse, confirmed, awaited]);
  // Steps without digits have no field, so the form's error summary links here.
  const isStep = awaited && (!hasDigits(awaited.way) || awaited.ended);
  return (
    <div ref={line} id={isStep ? field.id : undefined} role="status" tabIndex={-1} className={css.standing}>
      {awaited && !awaited.ended && (
        <p className={css.waiting}>
          {awaited.way !== 'mail' && <span className={css.pulse} />}
          <span>{waitingFor(awaited)}</span>
        </p>
      )}
      {awaited?.way === 'ring' && !awaited.ended && <Paragraph className={css.quiet} id="phone.no_answer" />}
      {confirmed && (
        <p className={css.confirmed}>
          <Tick />
          {byMail ? <Text id="phone.confirmed_by_mail" /> : <NumberConfirmed />}
        </p>
      )}
    </div>
  );
}

/** One word beside the number, and what it means. */
const NumberConfirmed = () => (
  <span>
    <strong>
      <Text id="phone.confirmed" />
    </strong>{' '}
    <span className={css.quiet}>
      <Text id="phone.confirmed_long" />
    </span>
  </span>
);

const waits = {
  ring: 'phone.waiting',
  voice: 'phone.voice_waiting',
  reverse: 'phone.reverse_waiting',
  whatsapp: 'phone.whatsapp_waiting',
  telegram: 'phone.telegram_waiting',
  sms: 'phone.sms_waiting',
} as const;

function waitingFor({ way, to }: AwaitedCall): ReactNode {
  if (way === 'mail') return <Text id="phone.mail_waiting" values={{ email: to }} />;
  // A number stays on one line.
  return <Text id={waits[way]} values={{ phone: to.replaceAll(' ', '\u00a0') }} />;
}

/** Offered after the user tried the first way: messages cost more than calls. */
const later: readonly Way[] = ['reverse', 'whatsapp', 'telegram', 'sms'];

function Asking({ confirmation, optional }: Required<Omit<ConfirmPhoneProps, 'help'>>) {
  const { field, refusal } = confirmation;
  const [first = 'ring'] = useWays();
  return (
    <>
      <FieldError field={field} />
      {first === 'ring' && <Paragraph className={css.quiet} id="phone.what_happens" />}
      {optional && <Paragraph className={css.quiet} id="phone.optional" />}
      <OtherWays confirmation={confirmation} besides={refusal ? [first] : [first, ...later]} />
    </>
  );
}

interface ConfirmedPhoneProps {
  form: {
    field(name: 'phone' | 'phone_region'): FormField<string>;
    set(name: 'phone' | 'phone_region', value: string): void;
  };
  confirmation: PhoneConfirmation;
  /** The assumed country of a number without a country code. */
  region: string;
  /** Help for a refusal, shown after its text. */
  help?: (refusal: RequestFailure) => ReactNode;
}

/** The phone number with its confirmation, if the operator wants one. */
export function ConfirmedPhone({ form, confirmation, region, help }: ConfirmedPhoneProps) {
  const { phoneConfirmation } = usePage().settings;
  const confirms = phoneConfirmation !== 'off';
  const [way = 'ring'] = useWays();
  const isSettled = confirmation.confirmed || confirmation.awaited !== undefined;
  return (
    <Stack tight>
      <PhoneField
        field={form.field('phone')}
        regionField={form.field('phone_region')}
        region={region}
        choose={(chosen) => form.set('phone_region', chosen)}
        use={(number) => form.set('phone', number)}
        readOnly={isSettled}
        action={confirms && <CallButton confirmation={confirmation} />}
        // Enter works like the button beside the number: without the confirmation, the form would only show an error.
        onEnter={phoneConfirmation === 'required' && !isSettled ? () => confirmation.ask(way) : undefined}
      />
      {confirms && (
        <ConfirmPhone confirmation={confirmation} optional={phoneConfirmation === 'optional'} {...(help && { help })} />
      )}
    </Stack>
  );
}
