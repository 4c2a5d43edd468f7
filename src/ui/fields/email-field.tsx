import { useState } from 'react';
import { released } from '../../browser/forms/draft.ts';
import type { FormField } from '../../browser/forms/form.ts';
import { Text } from '../../browser/language/text.tsx';
import type { MessageId } from '../../messages/ids.ts';
import { TextButton } from '../text-button.tsx';
import { Field, Input, inputProps } from './field.tsx';
import { suggestAddress } from './mail-domains.ts';

interface EmailFieldProps {
  field: FormField<string>;
  label?: MessageId;
  autoComplete: string;
  /** Called with the suggested address when the user accepts it. */
  onUse: (address: string) => void;
}

/**
 * An email address, exactly as typed: with `type=email` some browsers convert the domain to punycode. Suggests a
 * correction for a likely typo in the domain, but never insists.
 */
export function EmailField({ field, label = 'label.email', autoComplete, onUse }: EmailFieldProps) {
  const [suggestion, setSuggestion] = useState<string>();
  async function suggest(typed: string) {
    // A click that left the field has then hit its button.
    await released();
    setSuggestion(suggestAddress(typed));
  }
  const use = () => {
    onUse(suggestion as string);
    setSuggestion(undefined);
    document.getElementById(field.id)?.focus();
  };
  const question = suggestion && (
    <Text id="hint.email_suggestion" values={{ suggestion }} tags={{ use: <TextButton dir="ltr" onClick={use} /> }} />
  );
  return (
    <Field field={field} label={label} news={question}>
      <Input
        type="text"
        dir="ltr"
        inputMode="email"
        autoComplete={autoComplete}
        autoCapitalize="none"
        autoCorrect="off"
        spellCheck={false}
        onBlur={(event) => void suggest(event.target.value).catch(console.error)}
        onInput={() => setSuggestion(undefined)}
        {...inputProps(field)}
      />
    </Field>
  );
}
