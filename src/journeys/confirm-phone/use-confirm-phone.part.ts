import { useLayoutEffect, useState } from 'react';
import type { FormField } from '../../browser/forms/form.ts';
import { usePage } from '../../browser/navigation/page.tsx';
import type { RequestFailure } from '../../browser/requests/request-failure.ts';
import { useRequest } from '../../browser/requests/request-status.ts';
import type { FieldFailure } from '../../contract/failures.ts';
import { readTypedPhone, writeReadPhone } from '../../ui/fields/phone-field.tsx';
import { useFollowCall } from './steps/follow-call.part.ts';
import { type AwaitedCall, keepCall, readKeptCall, type Way } from './steps/kept-call.part.ts';
import { compareDigits, requestConfirmation } from './steps/request-confirmation.part.ts';

interface PhoneConfirmationInput {
  /** Holds the confirmation that the form sends along; empty until there is one. */
  readonly field: FormField<string>;
  readonly phone: FormField<string>;
  /** The country that counts for a number without one. */
  readonly region: string;
  /** Where a link would go. */
  readonly email: string;
  /** It is for an account that is to be made with that address: nobody is called for one that cannot. */
  readonly registers?: boolean;
  /** Writes the phone field. */
  readonly writePhone: (number: string) => void;
  /** Says at a field of the form what is wrong with it. */
  readonly refuse: (failure: FieldFailure) => void;
  /** Takes back what was said at `field`. */
  readonly takeBack: () => void;
  /** Writes `field`. */
  readonly write: (confirmation: string) => void;
}

const blamedFields = ({ code, fields }: RequestFailure): readonly FieldFailure[] =>
  code === 'phone_invalid' ? [{ field: 'phone', code }] : fields;

const expiredAs = (way: Way) => (way === 'mail' ? 'confirmation_link_expired' : 'call_expired');

/** Confirms that a phone number is the visitor's: asks for a call, waits for it, and compares its digits. */
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

  function wait(call: AwaitedCall | undefined): void {
    keepCall(call);
    setAwaited(call);
  }

  function succeed(confirmation: string): void {
    // A link leaves the number itself unconfirmed, which is said as long as the form is there.
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
      // With its country: whatever the page's language is later, this is the number that is called.
      const written = await writeReadPhone(number);
      signal.throwIfAborted();
      writePhone(written);
      const call = await requestConfirmation(
        { way, number, written, email, registers, locale, before: awaited },
        signal,
      );
      signal.throwIfAborted();
      // What was wrong with the digits of the call before does not concern this one.
      checking.cancel();
      // Nor that the form was sent without one.
      takeBack();
      wait(call);
    },
    {
      onError(failure) {
        blamedFields(failure).slice(0, 1).forEach(refuse);
        // What is not left is not offered any more.
        if (awaited && failure.ways) wait({ ...awaited, ways: failure.ways });
      },
    },
  );

  const checking = useRequest(
    async (signal, call: AwaitedCall, digits: string) => succeed(await compareDigits(call, digits, signal)),
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

  /** Throws away the confirmation, or what would become one. */
  function forget(): void {
    asking.cancel();
    checking.cancel();
    wait(undefined);
    write('');
  }

  return {
    field,
    confirmed,
    /** By a link, which says nothing of the number. */
    byMail: confirmed && awaited?.way === 'mail',
    /** Undefined while nobody waits, and again once the number is confirmed. */
    awaited: confirmed ? undefined : awaited,
    ask(way: Way): void {
      setChosenWay(way);
      void asking.start(way);
    },
    /** Gives up a request for a call that nothing has answered. */
    askAnew: asking.restart,
    /** What was refused last. */
    refused: asking.state === 'error' ? chosenWay : undefined,
    /** What is being asked for just now. */
    chosenWay: asking.state === 'pending' ? chosenWay : undefined,
    /** Why there is no call, where no field is to blame. */
    refusal: asking.error && blamedFields(asking.error).length === 0 ? asking.error : undefined,
    /** Somebody has just done something here, and did not come back to it by a reload. */
    inUse: asking.state !== 'idle' || checking.state !== 'idle',
    check: (digits: string): void => void (awaited && checking.start(awaited, digits)),
    checkAnew: (digits: string): void => void (awaited && checking.restart(awaited, digits)),
    checking,
    forget,
    /** The account exists: there is nothing to come back to. */
    finish(): void {
      if (confirmed) keepCall(undefined);
      else forget();
    },
    /** Back to the phone field. */
    change(): void {
      forget();
      // It takes typing only once it is no longer read-only.
      setTimeout(() => document.getElementById(phone.id)?.focus());
    },
  };
}

export type PhoneConfirmation = ReturnType<typeof useConfirmPhone>;
