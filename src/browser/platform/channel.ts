/** Opens a channel between the tabs of this browser; undefined if the browser partitions or forbids it. */
export function openChannel<Message>(name: string, hear: (message: Message) => void): BroadcastChannel | undefined {
  // While pages are rendered, an open channel would keep Node's process alive.
  if (typeof window === 'undefined') return undefined;
  try {
    const channel = new BroadcastChannel(name);
    channel.onmessage = ({ data }: MessageEvent<Message>) => hear(data);
    return channel;
  } catch {
    return undefined;
  }
}
