import { tabStorage } from '../../browser/platform/storage.ts';
import { RequestFailure } from '../../browser/requests/request-status.ts';
import { openSideMenu } from '../../gallery/acts.ts';
import { accountOf, signedIn } from '../../gallery/examples/account.ts';
import { type States, specimen } from '../../gallery/state.tsx';
import { AccountBanners, AccountCreated, AccountLayout, AccountUnread } from './account-layout.tsx';
import { BelowForm, Card, Sheet, SheetPart, Stack, StepTitle, Title } from './card.tsx';
import { ClearLayout, DefaultLayout, Devices, Doorway, Frame, Logo } from './frame.tsx';
import { DayTitle, GhostRows, PageHead } from './page-head.tsx';

const nothing = () => undefined;
const long = 'anna'.repeat(60);

export const states: readonly States[] = [
  {
    of: 'Layouts',
    page: 'register',
    states: {
      frame: {
        show: (
          <Frame>
            <Title>Frame</Title>
          </Frame>
        ),
        shows: [],
      },
      clear: {
        show: (
          <ClearLayout>
            <Title lead="One column.">ClearLayout</Title>
          </ClearLayout>
        ),
        shows: [],
      },
      default: {
        show: (
          <DefaultLayout beside="A sentence for the panel.">
            <Title lead="A form.">DefaultLayout</Title>
          </DefaultLayout>
        ),
        shows: [],
      },
      'long words': {
        show: (
          <DefaultLayout beside={long}>
            <Title lead={long}>{long}</Title>
          </DefaultLayout>
        ),
        shows: [],
      },
      stacks: specimen(
        'Stack',
        <>
          <Stack>
            <p>One</p>
            <p>Two</p>
          </Stack>
          <Stack tight>
            <p>Three</p>
            <p>Four</p>
          </Stack>
          <BelowForm>
            <p>Another way</p>
          </BelowForm>
        </>,
      ),
      'a further step': {
        show: (
          <ClearLayout>
            <StepTitle title="register.title" />
          </ClearLayout>
        ),
        shows: ['register.title'],
      },
      pictures: specimen(
        'Pictures',
        <>
          <Logo />
          <Doorway>
            <Devices />
          </Doorway>
          <GhostRows />
        </>,
      ),
    },
  },
  {
    of: 'Layouts of an account',
    page: 'dashboard',
    states: {
      cards: {
        show: (
          <AccountLayout>
            <Title lead="Cards, one below the other.">AccountLayout</Title>
            <Card>
              <h2>Card</h2>
              <p>{long}</p>
            </Card>
            <Card>
              <h2>Another card</h2>
              <p>Words.</p>
            </Card>
          </AccountLayout>
        ),
        shows: [],
      },
      sheets: {
        ...specimen(
          'Sheet',
          <>
            <PageHead actions={<a href="#main">One action</a>} lead="The line below both.">
              <p>PageHead: its actions are at the end of the line.</p>
            </PageHead>
            <Sheet title="dashboard.records" aside={<a href="#main">More</a>}>
              <SheetPart>
                <DayTitle at="2025-11-21T12:00:00Z" level="h3" />
                <p>{long}</p>
              </SheetPart>
            </Sheet>
          </>,
        ),
        shows: ['dashboard.records'],
      },
      'side menu': {
        ...signedIn,
        replies: [accountOf({ name: long, email: `${long}@example.com` })],
        acts: [openSideMenu],
        shows: ['account_frame.sign_out'],
      },
      'not yet read': {
        ...specimen('AccountUnread', <AccountUnread failure={undefined} retry={nothing} />),
        shows: ['frame.loading'],
      },
      'not to be read': {
        ...specimen('AccountUnread', <AccountUnread failure={new RequestFailure(500)} retry={nothing} />),
        shows: ['failure.server_error'],
      },
      'just registered': {
        ...specimen('AccountCreated', <AccountCreated />),
        before: () => tabStorage.write('registered_at', String(Date.now())),
        shows: ['register.success'],
      },
      'out of reach by mail': {
        ...specimen(
          'AccountBanners',
          <AccountBanners account={{ email: 'anna@example.com', email_unreachable: true }} />,
        ),
        shows: ['account.unreachable'],
      },
    },
  },
];
