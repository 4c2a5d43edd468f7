import { Text } from '../../../browser/language/text.tsx';
import { unknownBrowser } from '../../../contract/activity.ts';

export const DeviceName = ({ name }: { name: string }) =>
  name === unknownBrowser ? <Text id="account.device_unknown" /> : <bdi>{name}</bdi>;
