import { Text } from '../../../browser/language/text.tsx';
import { unknownDevice } from '../../../contract/devices.ts';

/** A browser as its owner knows it. */
export const Device = ({ name }: { name: string }) =>
  name === unknownDevice ? <Text id="account.device_unknown" /> : <bdi>{name}</bdi>;

interface WhereProps {
  ip: string;
  place: string | undefined;
}

/** From where it was used. */
export const Where = ({ ip, place }: WhereProps) => (
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
