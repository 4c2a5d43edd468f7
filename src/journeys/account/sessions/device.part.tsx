import { Text } from '../../../browser/language/text.tsx';
import { unknownBrowser } from '../../../contract/activity.ts';

export const DeviceName = ({ name }: { name: string }) =>
  name === unknownBrowser ? <Text id="account.device_unknown" /> : <bdi>{name}</bdi>;

/** The IP address of a browser and its location. */
export const Where = ({ ip, place }: { ip: string; place: string | undefined }) => (
  <>
    <bdi>{ip}</bdi>
    {place !== undefined && (
      <>
        {' · '}
        <bdi>{place}</bdi>
      </>
    )}
  </>
);
