import { useLayoutEffect, useRef, useState } from 'react';
import type { FormField } from '../../browser/forms/form.ts';
import { useFormFocus } from '../../browser/forms/form-focus.ts';
import { usePage } from '../../browser/navigation/page.tsx';
import type { RequestFailure } from '../../browser/requests/request-failure.ts';
import { useRequest } from '../../browser/requests/request-status.ts';
import type { ConfirmationWay } from '../../contract/call-ways.ts';
import type { FieldFailure } from '../../contract/failures.ts';
import { readTypedPhone, writeReadPhone } from '../../ui/fields/phone/phone-field.tsx';
import { useFollowCall } from './steps/follow-call.part.ts';
import { type AwaitedCall, keepCall, readKeptCall, type Way } from './steps/kept-call.part.ts';
import { compareDigits, requestConfirmation } from './steps/request-confirmation.part.ts';

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
      onError({ code, attemptsLeft }) {
        if (awaited && attemptsLeft === 0) wait({ ...awaited, ended: 'digits_used_up' });
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
    askAnew(way: Way): void {
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
    checkAnew: (digits: string): void => void (awaited && checking.restart(awaited, digits)),
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
