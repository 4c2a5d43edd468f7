import { useEffect, useEffectEvent, useState } from 'react';
import { Paragraph, Text } from '../../../browser/language/text.tsx';
import { useRequest } from '../../../browser/requests/request-status.ts';
import { sendRequest } from '../../../browser/requests/send-request.ts';
import type { ResponseBody } from '../../../contract/endpoint.ts';
import { seconds } from '../../../contract/units.ts';
import { Button } from '../../../ui/button.tsx';
import { Failed } from '../../../ui/feedback/feedback.tsx';
import { Stack } from '../../../ui/layouts/card.tsx';
import { linkTelegram } from '../incidents/incidents.contract.ts';

interface TelegramSetupProps {
  /** Id of the channel's heading. */
  readonly heading: string;
  /** Reads the channels again: once the chat is connected, this disappears. */
  readonly read: () => void;
}

const looksEvery = seconds(3);

/** Makes a link to a chat with the bot, and waits until somebody has followed it. */
export function TelegramSetup({ heading, read }: TelegramSetupProps) {
  const [offer, setOffer] = useState<ResponseBody<typeof linkTelegram>>();
  const linking = useRequest(async (signal) => {
    setOffer(await sendRequest(linkTelegram, { signal }));
  });
  const look = useEffectEvent(() => (Date.now() < Date.parse(offer?.expires_at ?? '') ? read() : setOffer(undefined)));
  useEffect(() => {
    if (!offer) return;
    const timer = setInterval(look, looksEvery);
    return () => clearInterval(timer);
  }, [offer]);
  if (!offer) {
    return (
      <>
        <Button
          label="security.authenticator_add"
          aria-describedby={heading}
          plain
          busy={linking.state === 'pending' ? 'form.wait' : undefined}
          retry={linking.restart}
          onClick={() => void linking.start()}
        />
        <Failed failure={linking.error} />
      </>
    );
  }
  return (
    <Stack tight>
      <Paragraph id="channels.telegram_open" />
      <a href={offer.link} target="_blank" rel="noopener noreferrer">
        <Text id="channels.telegram_link" />
      </a>
    </Stack>
  );
}
