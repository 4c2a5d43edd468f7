import { Text } from '../browser/language/text.tsx';
import { useReference } from '../browser/navigation/failure-page.ts';
import { Link } from '../browser/navigation/navigation.tsx';
import { Button } from '../ui/button.tsx';
import { ClearLayout } from '../ui/layouts/clear-layout.tsx';
import { BelowForm, Stack } from '../ui/layouts/stack.tsx';
import { Title } from '../ui/layouts/title.tsx';

/** The page for our own errors: one way to continue, and a reference to quote to support. */
export default function ErrorPage() {
  const reference = useReference();
  return (
    <ClearLayout>
      <Title lead={<Text id="error_page.lead" />}>
        <Text id="error_page.page" />
      </Title>
      <Stack>
        <Button label="error_page.retry" onClick={() => location.reload()} />
        {reference && (
          <p>
            <Text id="error_page.reference" values={{ reference }} />
          </p>
        )}
      </Stack>
      <BelowForm>
        <p>
          <Link to="/">
            <Text id="error_page.home" />
          </Link>
        </p>
      </BelowForm>
    </ClearLayout>
  );
}
