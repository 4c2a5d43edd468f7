import { Link } from '../../browser/navigation.tsx';
import { Text } from '../../browser/text.tsx';
import { IsolatedText } from '../../ui/isolated-text.tsx';

/** How long the account stays locked, and the way out. A `timer` is not read out each second. */
export const Locked = ({ clock }: { clock: string }) => (
  <>
    <p role="timer">
      <IsolatedText id="sign_in.locked" values={{ time: clock }} />
    </p>
    <p>
      <Text id="sign_in.locked_way_out" tags={{ reset: <Link to="/recovery/" /> }} />
    </p>
  </>
);
