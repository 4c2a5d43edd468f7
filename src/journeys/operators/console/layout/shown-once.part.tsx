import { Paragraph } from '../../../../browser/language/text.tsx';
import { Command } from '../../../../ui/command.tsx';

/** A secret or a link in the result of an act, to copy. */
export const ShownOnce = ({ secret }: { secret: string }) => (
  <>
    <Paragraph id="console_operators.once" />
    <Command command={secret} />
  </>
);
