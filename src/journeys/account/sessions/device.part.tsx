import { Text } from '../../../browser/language/text.tsx';
import { unknownDevice } from '../../../contract/devices.ts';

/** A browser as its owner knows it. */
export const Device = ({ name }: { name: string }) =>
  name === unknownDevice ? <Text id="account.device_unknown" /> : <bdi>{name}</bdi>;
