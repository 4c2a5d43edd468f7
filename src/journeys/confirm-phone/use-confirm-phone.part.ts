import { useEffect, useEffectEvent, useLayoutEffect, useRef, useState } from 'react';
import { forgetIdempotencyKey, idempotencyKeyFor } from '../../browser/forms/draft.ts';
import type { FormField } from '../../browser/forms/form.ts';
import { useFormFocus } from '../../browser/forms/form-errors.ts';
import { usePage } from '../../browser/navigation/page.tsx';
import { tabStorage } from '../../browser/platform/storage.ts';
import { RequestFailure, useRequest } from '../../browser/requests/request-status.ts';
import { sendRequest as send, sendRequest } from '../../browser/requests/send-request.ts';
import { type ConfirmationWay, confirmationWays } from '../../contract/call-ways.ts';
import type { ResponseBody } from '../../contract/endpoint.ts';
import type { FieldFailure } from '../../contract/failures.ts';
import type { LanguageCode } from '../../contract/languages.ts';
import type { PageSettings } from '../../contract/settings.ts';
import { seconds } from '../../contract/units.ts';
import { readTypedPhone, writeReadPhone } from '../../ui/fields/phone-field.tsx';
import type { readCall } from './confirm-phone.contract.ts';

interface PhoneConfirmationInput {
  /** Contains the confirmation that the form submits; empty until the number is confirmed. */
  readonly field: FormField<string>;
  readonly phone: FormField<string>;
  /** Default country of numbers without a country code. */
  readonly region: string;
  /** Recipient of a link. */
  readonly email: string;
  /** The form registers `email`: the server places no call for an address that cannot be registered. */
  readonly registers?: boolean;
  /** Writes the phone field. */
  readonly writePhone: (number: string) => void;
  /** Shows an error at a field of the form. */
  readonly refuse: (failure: FieldFailure, isElsewhere?: boolean) => void;
  /** Removes the error at `field`. */
  readonly takeBack: () => void;
  /** Writes `field`. */
  readonly write: (confirmation: string) => void;
}

const blamedFields = ({ code, fields }: RequestFailure): readonly FieldFailure[] =>
  code === 'phone_invalid' ? [{ field: 'phone', code }] : fields;

const expiredAs = (way: Way) => (way === 'mail' ? 'confirmation_link_expired' : 'call_expired');

/** Confirms that a phone number belongs to the visitor: requests a call, waits for it, and compares its digits. */
export function useConfirmPhone({
  field,
  phone,
  region,
  email,
  registers,
  refuse,
  takeBack,
  write,
  writePhone,
}: PhoneConfirmationInput) {
  const { language: locale } = usePage();
  const [awaited, setAwaited] = useState<AwaitedCall>();
  useLayoutEffect(() => setAwaited(readKeptCall()), []);
  const [chosenWay, setChosenWay] = useState<Way>();
  const confirmed = field.value !== '';
  const { left, moveFocus } = useFormFocus();

  function wait(call: AwaitedCall | undefined): void {
    keepCall(call);
    setAwaited(call);
  }

  function succeed(confirmation: string): void {
    // A link leaves the number itself unconfirmed, and the form says so until it is submitted.
    if (awaited?.way !== 'mail') wait(undefined);
    write(confirmation);
  }

  async function readPhone(): Promise<string | undefined> {
    const number = await readTypedPhone(phone.value, region);
    if (!number) refuse({ field: phone.name, code: phone.value.trim() ? 'phone_invalid' : 'required' });
    return number;
  }

  const asking = useRequest(
    async (signal, way: Way) => {
      const number = await readPhone();
      if (!number) return;
      // Includes the country code, so a later change of the page's language does not change the number.
      const written = await writeReadPhone(number);
      signal.throwIfAborted();
      writePhone(written);
      const call = await requestConfirmation(
        { way, number, written, email, registers, locale, before: awaited },
        signal,
      );
      signal.throwIfAborted();
      // An error about the previous call's digits does not apply to the new call.
      checking.cancel();
      // Neither does the error about the missing confirmation.
      takeBack();
      wait(call);
    },
    {
      onError(failure) {
        const [blamed] = blamedFields(failure);
        if (blamed) refuse(blamed, !moveFocus(null));
        // Stops offering ways that are used up.
        if (awaited && failure.ways) wait({ ...awaited, ways: failure.ways as readonly ConfirmationWay[] });
      },
    },
  );

  const checked = useRef<string>(undefined);
  const checking = useRequest(
    async (signal, call: AwaitedCall, digits: string) => {
      checked.current = digits;
      succeed(await compareDigits(call, digits, signal));
    },
    {
      onError({ code, attempts_left: left }) {
        if (awaited && left === 0) wait({ ...awaited, ended: 'digits_used_up' });
        else if (awaited && code === 'call_expired') wait({ ...awaited, ended: code });
      },
    },
  );

  useFollowCall(awaited && !awaited.ended && !confirmed ? awaited.id : undefined, ({ state, phone_confirmation }) => {
    if (phone_confirmation !== undefined) succeed(phone_confirmation);
    else if (awaited && state === 'failed') wait({ ...awaited, ended: 'call_failed' });
    else if (awaited && state === 'expired') wait({ ...awaited, ended: expiredAs(awaited.way) });
  });

  /** Discards the confirmation and any pending call. */
  function forget(): void {
    asking.cancel();
    checking.cancel();
    wait(undefined);
    write('');
  }

  return {
    field,
    confirmed,
    /** Confirmed by a link, which does not prove the number. */
    byMail: confirmed && awaited?.way === 'mail',
    /** Undefined without a pending call, and once the number is confirmed. */
    awaited: confirmed ? undefined : awaited,
    ask(way: Way): void {
      left.current = document.activeElement;
      setChosenWay(way);
      void asking.start(way);
    },
    /** Aborts a request for a call that got no response, and repeats it. */
    askAgain(way: Way): void {
      left.current = document.activeElement;
      void asking.restart(way);
    },
    /** Focuses an element after a response, unless the user types in another field or has opened a menu by now. */
    moveFocus,
    /** The way that was refused last. */
    refused: asking.state === 'error' ? chosenWay : undefined,
    /** The way of the request in progress. */
    chosenWay: asking.state === 'pending' ? chosenWay : undefined,
    /** Why there is no call, unless a field has the error. */
    refusal: asking.error && blamedFields(asking.error).length === 0 ? asking.error : undefined,
    /** The user has interacted since the page loaded; false after a reload. */
    inUse: asking.state !== 'idle' || checking.state !== 'idle',
    check: (digits: string): void => void (awaited && checking.start(awaited, digits)),
    checkAgain: (digits: string): void => void (awaited && checking.restart(awaited, digits)),
    checking,
    /** The digits of the last check: while one is pending, others are not sent. */
    checked,
    forget,
    /** Called once the account exists: nothing is left to resume. */
    finish(): void {
      if (confirmed) keepCall(undefined);
      else forget();
    },
    /** Returns to the phone field. */
    change(): void {
      forget();
      // The field is read-only until the next render.
      setTimeout(() => document.getElementById(phone.id)?.focus());
    },
  };
}

export type PhoneConfirmation = ReturnType<typeof useConfirmPhone>;

type CallStanding = ResponseBody<typeof readCall>;

const interval = seconds(3);

/**
 * Polls the status of a call while the tab is visible; `undefined` disables polling. If there is no response, the next poll may
 * succeed.
 */
function useFollowCall(id: string | undefined, onHeard: (standing: CallStanding) => void): void {
  const { start, cancel } = useRequest(async (signal, call: string) => onHeard(await standingOf(call, signal)));
  const look = useEffectEvent(() => {
    if (id !== undefined && document.visibilityState === 'visible') void start(id);
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: `cancel` is always the same
  useEffect(() => {
    if (id === undefined) return;
    const timer = setInterval(look, interval);
    document.addEventListener('visibilitychange', look);
    look();
    return () => {
      clearInterval(timer);
      document.removeEventListener('visibilitychange', look);
      cancel();
    };
  }, [id]);
}

async function standingOf(call: string, signal: AbortSignal): Promise<CallStanding> {
  const { readCall } = await import('./confirm-phone.contract.ts');
  return sendRequest(readCall, { params: { call }, signal }).catch((failure: unknown) => {
    // The server deletes a call some time after it expires.
    if (failure instanceof RequestFailure && failure.code === 'not_found') return { state: 'expired' };
    throw failure;
  });
}

/** `ring` only rings, `voice` speaks the digits, with `reverse` the user calls; `mail` emails a link instead. */
export type Way = ConfirmationWay;

/** Whether the digits come as a text, not in a call. */
export const isMessage = (way: Way): boolean => way === 'whatsapp' || way === 'telegram' || way === 'sms';

/** Whether the user types digits. */
export const hasDigits = (way: Way): boolean => way !== 'mail' && way !== 'reverse';

/** A pending call, message or link. */
export interface AwaitedCall {
  readonly id: string;
  readonly way: Way;
  /** The formatted number, or the recipient of the link. */
  readonly to: string;
  /** When the user may request another one, in milliseconds since 1970. */
  readonly resendAt: number;
  /** The formatted number that the user calls, for reverse calls. */
  readonly number?: string | undefined;
  /**
   * Allowed digit counts: of this call first, then of earlier ones that may still arrive. Empty if an older page stored
   * it.
   */
  readonly lengths: readonly number[];
  /** Other ways to confirm the number; absent if unknown. */
  readonly ways?: readonly Way[] | undefined;
  /** Why it failed, as the suffix of a `failure.…` message. */
  readonly ended?: 'call_failed' | 'call_expired' | 'digits_used_up' | 'confirmation_link_expired';
}

const key = 'draft.phone-call';

/**
 * Stores a call for this tab, because phones may discard the page while the phone app is open; undefined deletes it.
 */
export const keepCall = (call: AwaitedCall | undefined): void => tabStorage.write(key, call && JSON.stringify(call));

function readKeptCall(): AwaitedCall | undefined {
  const kept = tabStorage.readRecord(key);
  const isCall =
    typeof kept.id === 'string' && typeof kept.to === 'string' && confirmationWays.includes(kept.way as Way);
  if (!isCall) return undefined;
  const lengths = Array.isArray(kept.lengths) ? kept.lengths : [];
  return { ...kept, lengths, resendAt: Number(kept.resendAt) || 0 } as unknown as AwaitedCall;
}

interface ConfirmationInput {
  readonly way: Way;
  /** In E.164; `written` is formatted. */
  readonly number: string;
  readonly written: string;
  /** Recipient of a link. */
  readonly email: string;
  readonly registers: boolean | undefined;
  readonly locale: LanguageCode;
  /** The call that is already pending. */
  readonly before: AwaitedCall | undefined;
}

/** The user may still type the digits of an earlier call. */
const lengthsWith = (digits: number, before: AwaitedCall | undefined): readonly number[] => [
  ...new Set([digits, ...(before && !before.ended && hasDigits(before.way) ? before.lengths : [])]),
];
const inOnePiece = (number: string) => number.replaceAll(' ', '\u00a0');

const contract = () => import('./confirm-phone.contract.ts');

/** Requests a call, a message or a link; resolves to the pending call. */
async function requestConfirmation(
  { way, number, written, email, registers, locale, before }: ConfirmationInput,
  signal: AbortSignal,
): Promise<AwaitedCall> {
  const { requestCall, requestMail } = await contract();
  const asked = { phone: number, locale, attempt: idempotencyKeyFor('call') };
  const {
    call: id,
    resend_in,
    number: dial,
    digits,
    ways,
  } = way === 'mail'
    ? await send(requestMail, { body: { ...asked, email }, signal })
    : await send(requestCall, { body: { ...asked, way, email: (registers && email.trim()) || undefined }, signal });
  forgetIdempotencyKey('call');
  const toDial = dial && inOnePiece(await writeReadPhone(dial));
  const to = way === 'mail' ? email.trim() : inOnePiece(written);
  const lengths = lengthsWith(digits, before);
  return { id, way, to, number: toDial, lengths, ways, resendAt: Date.now() + seconds(resend_in) };
}

/**
 * Sends the digits of a call; resolves to the confirmation. Throws `RequestFailure`, including for malformed digits.
 */
async function compareDigits(call: AwaitedCall, digits: string, signal: AbortSignal): Promise<string> {
  const [{ confirmDigits, misfitAmong }, { checkForm }] = await Promise.all([
    contract(),
    import('../../browser/forms/form-check.ts'),
  ]);
  const body = { call: call.id, digits };
  const misfit = misfitAmong(digits, call.lengths);
  const fields: readonly FieldFailure[] = misfit
    ? [{ field: 'digits', code: misfit }]
    : checkForm(confirmDigits.body, body);
  if (fields.length > 0) throw new RequestFailure(422, { code: 'validation_failed', fields });
  return (await send(confirmDigits, { body, signal })).phone_confirmation;
}

interface Rules {
  /** Default country of numbers without a country code. */
  readonly region: string;
  readonly phoneConfirmation: PageSettings['phoneConfirmation'];
}

/** Errors of a number and its confirmation that the form's schema cannot detect. */
export async function checkPhone(
  { phone, phone_confirmation }: { phone: string; phone_confirmation: string },
  { region, phoneConfirmation }: Rules,
): Promise<FieldFailure[]> {
  // A wrong or missing number cannot be confirmed, so it yields one error, not two.
  if (phone.trim() === '') return [];
  if (!(await readTypedPhone(phone, region))) return [{ field: 'phone', code: 'phone_invalid' }];
  const unconfirmed = phoneConfirmation === 'required' && phone_confirmation === '';
  return unconfirmed ? [{ field: 'phone_confirmation', code: 'phone_not_confirmed' }] : [];
}
