import { Text } from '../../browser/language/text.tsx';
import { Link } from '../../browser/navigation/navigation.tsx';

/** How long the account stays locked, and the way out. A `timer` is not read out each second. */
export const Locked = ({ clock }: { clock: string }) => (
  <>
    <p role="timer">
      <Text id="sign_in.locked" values={{ time: clock }} />
    </p>
    <p>
      <Text id="sign_in.locked_way_out" tags={{ reset: <Link to="/recovery/" /> }} />
    </p>
  </>
);
