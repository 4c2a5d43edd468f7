import type { ReactNode } from 'react';
import type { FormField } from '../../browser/forms/form.ts';
import { usePage } from '../../browser/navigation/page.tsx';
import type { RequestFailure } from '../../browser/requests/request-failure.ts';
import { PhoneField } from '../../ui/fields/phone/phone-field.tsx';
import { Stack } from '../../ui/layouts/stack.tsx';
import { CallButton, ConfirmPhone } from './confirm-phone.part.tsx';
import { useWays } from './steps/ways.part.tsx';
import type { PhoneConfirmation } from './use-confirm-phone.part.ts';

interface ConfirmedPhoneProps {
  form: {
    field(name: 'phone' | 'phone_region'): FormField<string>;
    set(name: 'phone_region', region: string): void;
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
