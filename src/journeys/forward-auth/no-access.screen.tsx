import { useQuery } from '../../browser/navigation/navigation.tsx';
import { Title } from '../../ui/layouts/card.tsx';
import { ClearLayout } from '../../ui/layouts/frame.tsx';
import { TurnedAway } from '../openid/connect/turned-away.part.tsx';

/** The page for an account that a guarded application does not admit. */
export default function NoAccess() {
  const id = useQuery().query.get('client') ?? '';
  const heading = <Title text="no_access.page" />;
  // Before hydration, the address is not known.
  return <ClearLayout>{id === '' ? heading : <TurnedAway key={id} id={id} heading={heading} />}</ClearLayout>;
}
