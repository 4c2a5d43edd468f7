import { Paragraph, Text } from '../browser/language/text.tsx';
import { Link } from '../browser/navigation/navigation.tsx';
import { useReference } from '../browser/navigation/page.tsx';
import { Button } from '../ui/button.tsx';
import { BelowForm, Stack, Title } from '../ui/layouts/card.tsx';
import { ClearLayout } from '../ui/layouts/frame.tsx';

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
        {reference && <Paragraph id="error_page.reference" values={{ reference }} />}
      </Stack>
      <BelowForm>
        <p>
          <Link to="/" text="error_page.home" />
        </p>
      </BelowForm>
    </ClearLayout>
  );
}
