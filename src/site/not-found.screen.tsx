import { Text } from '../browser/language/text.tsx';
import { useMissingPath } from '../browser/navigation/failure-page.ts';
import { ButtonLink } from '../ui/button.tsx';
import { ClearLayout } from '../ui/layouts/clear-layout.tsx';
import { Stack } from '../ui/layouts/stack.tsx';
import { Title } from '../ui/layouts/title.tsx';

/** The page for an unknown address. */
export default function NotFoundPage() {
  const path = useMissingPath();
  return (
    <ClearLayout>
      <Title lead={<Text id="not_found.lead" />}>
        {path ? <Text id="not_found.path" values={{ path }} /> : <Text id="not_found.page" />}
      </Title>
      <Stack>
        <ButtonLink to="/" label="not_found.home" />
      </Stack>
    </ClearLayout>
  );
}
