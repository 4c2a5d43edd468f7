import { Text } from '../../../browser/language/text.tsx';
import { Card } from '../../../ui/layouts/card.tsx';
import { Command } from './command.part.tsx';
import css from './reported.module.css';

const reported = [
  'computers_add.reports_name',
  'computers_add.reports_signal',
  'computers_add.reports_changes',
] as const;
const never = ['computers_add.never_files', 'computers_add.never_typing', 'computers_add.never_programs'] as const;

interface ReportedProps {
  /** The command that removes the agent; smartphones have an app instead. */
  readonly undo: string | undefined;
}

/** What the reference agent reports, what it never reports, and how to remove it. */
export const Reported = ({ undo }: ReportedProps) => (
  <Card>
    <h2>
      <Text id="computers_add.reports" />
    </h2>
    <ul className={css.list}>
      {reported.map((id) => (
        <li key={id}>
          <Text id={id} />
        </li>
      ))}
    </ul>
    <h2>
      <Text id="computers_add.never" />
    </h2>
    <ul className={css.list}>
      {never.map((id) => (
        <li key={id}>
          <Text id={id} />
        </li>
      ))}
    </ul>
    {undo && (
      <>
        <h2 id="undo">
          <Text id="computers_add.undo" />
        </h2>
        <p>
          <Text id="computers_add.undo_how" />
        </p>
        <Command command={undo} purpose="undo" />
      </>
    )}
  </Card>
);
