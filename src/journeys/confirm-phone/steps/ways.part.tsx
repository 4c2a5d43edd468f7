import { usePage } from '../../../browser/navigation/page.tsx';
import type { MessageId } from '../../../messages/ids.ts';
import { Button } from '../../../ui/button.tsx';
import { Fold } from '../../../ui/fields/choice-fields.tsx';
import { TextButton } from '../../../ui/text-button.tsx';
import type { PhoneConfirmation, Way } from '../use-confirm-phone.part.ts';
import css from './ways.module.css';

const labels = {
  ring: 'phone.call_me',
  voice: 'phone.voice',
  reverse: 'phone.reverse',
  whatsapp: 'phone.whatsapp',
  telegram: 'phone.telegram',
  sms: 'phone.sms',
  mail: 'phone.mail',
} as const;

interface AskButtonProps {
  confirmation: PhoneConfirmation;
  way: Way;
  label?: MessageId;
  id?: string;
  /** `quiet` beside a field, `plain` within text. */
  look?: 'quiet' | 'plain';
}

/** Button that requests a call, message or link. */
export function AskButton({ confirmation, way, label = labels[way], id, look = 'quiet' }: AskButtonProps) {
  const { ask, askAgain, chosenWay, field } = confirmation;
  const busy = way === 'ring' || way === 'voice' ? 'phone.calling' : 'form.wait';
  return (
    <Button
      label={label}
      busy={chosenWay === way ? busy : undefined}
      quiet={look === 'quiet'}
      plain={look === 'plain'}
      narrow
      onClick={() => ask(way)}
      retry={() => askAgain(way)}
      {...(id !== undefined && { id, 'aria-describedby': field.error && `${id}-error` })}
    />
  );
}

/** Button that returns to the phone field. */
export const ChangeButton = ({ change }: PhoneConfirmation) => <TextButton label="phone.change" onClick={change} />;

/** The available ways to confirm a number, in the operator's order. */
export const useWays = (): readonly Way[] => usePage().settings.phoneWays;

/** Other ways for users who cannot take the call, if the operator offers any; several are folded. */
export function OtherWays({ confirmation, besides }: { confirmation: PhoneConfirmation; besides: readonly Way[] }) {
  // A refusal lists the ways that are left; a response lists the ways that reach such a number.
  const { refusal, awaited } = confirmation;
  const isLeft = (way: Way) =>
    refusal?.ways?.includes(way) ?? (!besides.includes(way) && awaited?.ways?.includes(way) !== false);
  const others = useWays().filter((way) => way !== awaited?.way && isLeft(way));
  if (others.length === 0) return null;
  const buttons = (
    <div className={css.ways}>
      {others.map((way) => (
        <AskButton key={way} confirmation={confirmation} way={way} look="plain" />
      ))}
    </div>
  );
  if (others.length === 1) return buttons;
  // Open once this way has failed.
  const hasFailed = refusal !== undefined || awaited?.ended !== undefined;
  return (
    <Fold label="phone.other_ways" opens={hasFailed}>
      {buttons}
    </Fold>
  );
}
