import { Text } from '../../../browser/language/text.tsx';
import { usePage } from '../../../browser/navigation/page.tsx';
import { useRequest } from '../../../browser/requests/request-status.ts';
import { sendRequest } from '../../../browser/requests/send-request.ts';
import { languageOf } from '../../../contract/languages.ts';
import { Overdue } from '../../../ui/feedback/overdue.tsx';
import { Card } from '../../../ui/layouts/card.tsx';
import { TextButton } from '../../../ui/text-button.tsx';
import { VisuallyHidden } from '../../../ui/visually-hidden.tsx';
import { Failed, Unread, useRead } from '../../account/read.part.tsx';
import { Scopes } from './scopes.part.tsx';

const contract = () => import('./connect.contract.ts');

/** Lists the connected applications with the data that each receives, and disconnects them. */
export function ConnectedApps() {
  const { tag } = languageOf(usePage().language);
  const time = new Intl.DateTimeFormat(`${tag}-u-ca-gregory-nu-latn`, { dateStyle: 'medium', timeStyle: 'short' });
  const read = useRead(async (signal) => (await sendRequest((await contract()).listApps, { signal })).apps);
  const disconnecting = useRequest(async (signal, id: string) => {
    await sendRequest((await contract()).disconnectApp, { params: { id }, signal });
    read.again();
  });
  const apps = read.answer ?? [];
  return (
    <Card>
      <h2 tabIndex={-1}>
        <Text id="connected_apps.title" />
      </h2>
      <Unread read={read} usual="connected_apps.none">
        {apps.length === 0 && (
          <p>
            <Text id="connected_apps.none" />
          </p>
        )}
        {apps.map(({ id, name, scopes, last_used_at }) => (
          <section key={id}>
            <h3>
              <bdi>{name}</bdi>
            </h3>
            <Scopes scopes={scopes} />
            <p>
              <Text id="connected_apps.used" dir="auto" values={{ when: time.format(new Date(last_used_at)) }} />
            </p>
            <TextButton danger onClick={() => void disconnecting.start(id)}>
              <Text id="connected_apps.disconnect" />
              <VisuallyHidden> {name}</VisuallyHidden>
            </TextButton>
          </section>
        ))}
      </Unread>
      <Failed failure={disconnecting.error} />
      <Overdue waiting={disconnecting.state === 'pending'} />
    </Card>
  );
}
