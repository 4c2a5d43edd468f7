import { Text } from '../../../browser/language/text.tsx';
import { type AlarmChannelName, channelBrands, channelWords } from '../../contract/alarm-channels.ts';

/** What people call a channel. */
export const ChannelName = ({ of: name }: { of: AlarmChannelName }) =>
  name in channelBrands ? (
    <bdi translate="no">{channelBrands[name as keyof typeof channelBrands]}</bdi>
  ) : (
    <Text id={channelWords[name as keyof typeof channelWords]} />
  );
