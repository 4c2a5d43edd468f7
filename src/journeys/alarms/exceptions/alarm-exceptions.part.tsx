import { type ReactNode, useId } from 'react';
import { Text } from '../../../browser/language/text.tsx';
import type { MessageId } from '../../../messages/ids.ts';
import { NameOptions, Select } from '../../../ui/fields/select-field.tsx';
import { Card } from '../../../ui/layouts/card.tsx';
import { TextButton } from '../../../ui/text-button.tsx';
import { VisuallyHidden } from '../../../ui/visually-hidden.tsx';
import css from './alarm-exceptions.module.css';

interface Named {
  readonly id: string;
  readonly name: string;
}

interface AlarmExceptionsProps {
  title: MessageId;
  hint?: MessageId;
  /** Those that have rules of their own; the details are `ExceptionDetail` elements. */
  exceptions: readonly (Named & { readonly details: ReactNode })[];
  /** Label of the list from which any can be chosen. */
  label: MessageId;
  all: readonly Named[];
  /** Id of the chosen one. */
  chosen: string;
  choose: (id: string) => void;
  /** The form of the chosen one. */
  children: ReactNode;
}

/** The exceptions from the account’s rules, and a list from which any device or tag can be chosen. */
export function AlarmExceptions({
  title,
  hint,
  exceptions,
  label,
  all,
  chosen,
  choose,
  children,
}: AlarmExceptionsProps) {
  const id = useId();
  return (
    <Card>
      <h2>
        <Text id={title} />
      </h2>
      {hint && (
        <p className={css.detail}>
          <Text id={hint} />
        </p>
      )}
      {exceptions.length > 0 && (
        <ul className={css.list}>
          {exceptions.map((one) => (
            <li key={one.id} className={css.item}>
              <div className={css.words}>
                <span>
                  <bdi>{one.name}</bdi>
                </span>
                {one.details}
              </div>
              <TextButton onClick={() => choose(one.id)}>
                <Text id="alarms.manage" />
                <VisuallyHidden> {one.name}</VisuallyHidden>
              </TextButton>
            </li>
          ))}
        </ul>
      )}
      <div className={css.device}>
        <label htmlFor={id}>
          <Text id={label} />
        </label>
        <Select id={id} value={chosen} onChange={({ target }) => choose(target.value)}>
          <NameOptions of={all} selected={chosen} />
        </Select>
      </div>
      {children}
    </Card>
  );
}

/** A fact about an exception, in small type. */
export const ExceptionDetail = ({ children }: { children: ReactNode }) => (
  <span className={css.detail}>{children}</span>
);
