import { Text } from '../browser/language/text.tsx';
import { useMissingPath } from '../browser/navigation/page.tsx';
import { ButtonLink } from '../ui/button.tsx';
import { Stack, Title } from '../ui/layouts/card.tsx';
import { ClearLayout } from '../ui/layouts/frame.tsx';

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
