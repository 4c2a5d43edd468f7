/** What the tabs of this browser tell each other; undefined where it partitions or forbids that. */
export function openChannel<Message>(name: string, hear: (message: Message) => void): BroadcastChannel | undefined {
  try {
    const channel = new BroadcastChannel(name);
    channel.onmessage = ({ data }: MessageEvent<Message>) => hear(data);
    return channel;
  } catch {
    return undefined;
  }
}
