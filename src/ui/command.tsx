import { useRef, useState } from 'react';
import { Text } from '../browser/language/text.tsx';
import css from './command.module.css';
import { VisuallyHidden } from './visually-hidden.tsx';

interface CommandProps {
  /** Names of operating systems, the same in every language. */
  readonly systems?: string;
  readonly command: string;
  /** The id of the heading that says what the command is for, if the page has several commands. */
  readonly purpose?: string;
}

/** A command to copy. If the browser denies access to the clipboard, it selects the text for a keyboard copy. */
export function Command({ systems, command, purpose }: CommandProps) {
  const [copied, setCopied] = useState<string>();
  const text = useRef<HTMLElement>(null);
  const copy = async () => {
    try {
      // Throws without TLS: there is no clipboard.
      await navigator.clipboard.writeText(command);
      setCopied(command);
    } catch {
      if (text.current) getSelection()?.selectAllChildren(text.current);
    }
  };
  const isCopied = copied === command;
  return (
    <div className={css.command}>
      {systems && (
        <span className={css.systems} translate="no">
          {systems}
        </span>
      )}
      <button type="button" className={css.copy} onClick={() => void copy()} aria-describedby={purpose}>
        <Text id={isCopied ? 'computers_add.copied' : 'computers_add.copy'} />
        {systems && <VisuallyHidden> {systems}</VisuallyHidden>}
      </button>
      {/* Screen readers do not announce that the label of a focused button changed. */}
      <VisuallyHidden role="status">{isCopied && <Text id="computers_add.copied" />}</VisuallyHidden>
      <code ref={text} className={css.text} dir="ltr" translate="no">
        {command}
      </code>
    </div>
  );
}
