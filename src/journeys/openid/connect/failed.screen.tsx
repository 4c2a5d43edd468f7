import { Text } from '../../../browser/language/text.tsx';
import { useQuery } from '../../../browser/navigation/query.ts';
import { ButtonLink } from '../../../ui/button.tsx';
import { ClearLayout } from '../../../ui/layouts/clear-layout.tsx';
import { Stack } from '../../../ui/layouts/stack.tsx';
import { Title } from '../../../ui/layouts/title.tsx';

/** The code of a protocol error (RFC 6749, section 4.1.2.1). Anything else in the address is not shown. */
const errorCode = /^[a-z_]{1,60}$/;

/** The request of an application was invalid, so it cannot even be notified. */
export default function ConnectFailed() {
  const code = useQuery().query.get('error') ?? '';
  return (
    <ClearLayout>
      <Title>
        <Text id="connect_failed.page" />
      </Title>
      <Stack>
        <p>
          <Text id="connect_failed.text" />
        </p>
        {errorCode.test(code) && (
          <p>
            <code>{code}</code>
          </p>
        )}
        <ButtonLink to="/" label="not_found.home" quiet />
      </Stack>
    </ClearLayout>
  );
}
