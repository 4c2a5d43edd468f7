import type { ReactNode } from 'react';
import { useForm } from '../../../browser/forms/form.ts';
import { useText } from '../../../browser/language/text.tsx';
import { eachWarning, type Warning } from '../../../contract/computers/record-kinds.ts';
import type { MessageId } from '../../../messages/ids.ts';
import { SubmitButton } from '../../../ui/button.tsx';
import { FormProblems } from '../../../ui/feedback/form-problems.tsx';
import { FormSaved } from '../../../ui/feedback/form-saved.tsx';
import { SelectField } from '../../../ui/fields/select-field.tsx';
import { FormStack } from '../../../ui/layouts/stack.tsx';
import type { OwnRules } from '../alarms.contract.ts';
import { choiceOf, DurationOptions, minutesOf } from '../rules/alarm-durations.part.tsx';
import css from './silence-form.module.css';

/** The value of the list that stands for the rules of the account or of a tag. */
const asUsual = 'account';

interface SilenceFormProps {
  name: 'alarm_device_silent' | 'alarm_tag_silent';
  label: MessageId;
  /** The choice without rules of its own. */
  usual: MessageId;
  /** Label of the button. */
  save: MessageId;
  /** Null: no rules of its own. */
  rules: OwnRules | null;
  /** The rules of the account, for those that the form does not show. */
  account: Pick<OwnRules, Warning>;
  send: (rules: OwnRules | null, signal: AbortSignal) => Promise<void>;
  /** Beside the button that saves. */
  children?: ReactNode;
}

/** After how long a silence of one device, or of those with a tag, is reported. */
export function SilenceForm({ name, label, usual, save, rules, account, send, children }: SilenceFormProps) {
  const t = useText();
  const form = useForm({
    contract: () => import('../alarms.contract.ts'),
    schema: ({ silenceForms }) => silenceForms[name],
    initial: { [name]: rules ? choiceOf(rules.silent_after_minutes) : asUsual } as Record<typeof name, string>,
    async send(_contract, body, signal) {
      const value = (body as Partial<Record<typeof name, string>>)[name] ?? asUsual;
      const others = eachWarning((kind) => (rules ?? account)[kind]);
      await send(value === asUsual ? null : { silent_after_minutes: minutesOf(value), ...others }, signal);
    },
  });
  return (
    <div className={css.silence}>
      <FormStack {...form.props}>
        <FormProblems form={form} />
        <div className={css.line}>
          <div className={css.rule}>
            <div className={css.field}>
              <SelectField field={form.field(name)} label={label}>
                <option value={asUsual}>{t(usual)}</option>
                <DurationOptions current={rules?.silent_after_minutes ?? null} />
              </SelectField>
            </div>
            <SubmitButton label={save} narrow busy={form.busy ? 'form.wait' : undefined} retry={form.retry} />
          </div>
          {children}
        </div>
        <FormSaved form={form} />
      </FormStack>
    </div>
  );
}
