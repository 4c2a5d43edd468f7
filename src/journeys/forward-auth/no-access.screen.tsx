import { Text } from '../../browser/language/text.tsx';
import { ButtonLink } from '../../ui/button.tsx';
import { ClearLayout } from '../../ui/layouts/clear-layout.tsx';
import { Stack } from '../../ui/layouts/stack.tsx';
import { Title } from '../../ui/layouts/title.tsx';

/** The page for an account that an application of the operator does not admit. */
export default function NoAccess() {
  return (
    <ClearLayout>
      <Title lead={<Text id="no_access.lead" />}>
        <Text id="no_access.page" />
      </Title>
      <Stack>
        <ButtonLink to="/" label="not_found.home" />
      </Stack>
    </ClearLayout>
  );
}
