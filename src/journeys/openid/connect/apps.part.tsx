import { Paragraph, Text } from '../../../browser/language/text.tsx';
import { usePage } from '../../../browser/navigation/page.tsx';
import { useRequestQueue } from '../../../browser/requests/request-status.ts';
import { sendRemoval, sendRequest } from '../../../browser/requests/send-request.ts';
import { languageOf } from '../../../contract/languages.ts';
import { singleClick } from '../../../ui/button.tsx';
import { Failed, Overdue } from '../../../ui/feedback/feedback.tsx';
import { icon } from '../../../ui/icons.tsx';
import { Card, Heading } from '../../../ui/layouts/card.tsx';
import { TextButton } from '../../../ui/text-button.tsx';
import { VisuallyHidden } from '../../../ui/visually-hidden.tsx';
import { Detail, IconLine, Lines } from '../../account/lines.part.tsx';
import { Unread, useRead } from '../../account/read.part.tsx';
import { disconnectApp, listApps } from './connect.contract.ts';
import { Scopes } from './consent.part.tsx';

const AppIcon = icon(
  <>
    <rect x="2.5" y="3.5" width="15" height="13" rx="2" />
    <path d="M2.5 7.5h15M5 5.5h.1M7.3 5.5h.1" />
  </>,
);

/** Lists the connected applications with the data that each receives, and disconnects them. */
export function ConnectedApps() {
  const { tag } = languageOf(usePage().language);
  const time = new Intl.DateTimeFormat(`${tag}-u-ca-gregory-nu-latn`, { dateStyle: 'medium', timeStyle: 'short' });
  const read = useRead(async (signal) => (await sendRequest(listApps, { signal })).apps);
  const disconnecting = useRequestQueue(async (signal, id: string) => {
    await sendRemoval(disconnectApp, { params: { id }, signal });
    read.again();
  });
  const apps = read.response ?? [];
  return (
    <Card>
      <Heading text="connected_apps.title" />
      <Unread read={read} usual="connected_apps.none">
        {apps.length === 0 && <Paragraph id="connected_apps.none" />}
        {apps.length > 0 && (
          <Lines>
            {apps.map(({ id, name, scopes, apis = [], last_used_at }) => (
              <IconLine
                key={id}
                icon={<AppIcon />}
                name={<bdi>{name}</bdi>}
                details={
                  <>
                    <Detail>
                      <Text
                        id="connected_apps.used"
                        dir="auto"
                        values={{ when: time.format(new Date(last_used_at)) }}
                      />
                    </Detail>
                    <Scopes scopes={scopes} apis={apis} small />
                  </>
                }
                actions={
                  <TextButton danger onClick={singleClick(() => void disconnecting.start(id, id))}>
                    <Text id="connected_apps.disconnect" />
                    <VisuallyHidden> {name}</VisuallyHidden>
                  </TextButton>
                }
              />
            ))}
          </Lines>
        )}
      </Unread>
      <Failed failure={disconnecting.error} />
      <Overdue waiting={disconnecting.state === 'pending'} />
    </Card>
  );
}
