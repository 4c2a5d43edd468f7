import { type States, specimen } from '../gallery/state.tsx';
import { Button, ButtonLink, SubmitButton } from './button.tsx';
import { ChartTable } from './chart-table.tsx';
import { Command } from './command.tsx';
import { Chevron, Exclamation, Eye, EyeClosed, Globe, HalfMoon, Information, Tick } from './icons.tsx';
import { QrCode } from './qr-code.tsx';
import { TextButton } from './text-button.tsx';
import { VisuallyHidden } from './visually-hidden.tsx';

const nothing = () => undefined;

export const states: readonly States[] = [
  {
    of: 'Buttons',
    page: 'register',
    states: {
      'sends a form': specimen('SubmitButton', <SubmitButton label="register.submit" />),
      'sends a form, busy': specimen('SubmitButton', <SubmitButton label="register.submit" busy="form.wait" />),
      wide: specimen(
        'Button',
        <>
          <Button label="phone.call_me" onClick={nothing} />
          <Button label="phone.call_me" busy="phone.calling" onClick={nothing} />
          <Button label="phone.call_me" quiet onClick={nothing} />
          <Button label="phone.call_me" busy="phone.calling" quiet onClick={nothing} />
        </>,
      ),
      narrow: specimen(
        'Button',
        <>
          <div>
            <Button label="phone.confirm" narrow onClick={nothing} />
          </div>
          <div>
            <Button label="phone.confirm" narrow quiet onClick={nothing} />
          </div>
          <div>
            <SubmitButton label="phone.confirm" narrow danger />
          </div>
          <div>
            <Button label="phone.confirm" narrow quiet danger onClick={nothing} />
          </div>
          <TextButton danger onClick={nothing}>
            anna@example.com
          </TextButton>
        </>,
      ),
      links: specimen(
        'ButtonLink',
        <>
          <ButtonLink to="/" label="register.sign_in" />
          <ButtonLink to="/" label="register.sign_in" quiet />
          <div>
            <ButtonLink to="/" label="register.sign_in" narrow />
          </div>
        </>,
      ),
      'like a link': specimen('TextButton', <TextButton onClick={nothing}>anna@example.com</TextButton>),
    },
  },
  {
    of: 'Small things',
    page: 'register',
    states: {
      'QR code': specimen('QrCode', <QrCode text="tel:+12025550199" label="phone.reverse_qr" />),
      icons: specimen(
        'Icons',
        <>
          <Chevron />
          <Exclamation />
          <Eye />
          <EyeClosed />
          <Globe />
          <HalfMoon />
          <Information />
          <Tick />
        </>,
      ),
      'for screen readers': specimen('VisuallyHidden', <VisuallyHidden>Nobody sees this.</VisuallyHidden>),
    },
  },
  {
    of: 'Commands',
    page: 'computers-add',
    states: {
      'to copy': specimen('Command', <Command systems="Linux, macOS" command="curl -fsS https://door.example/agent" />),
    },
  },
  {
    of: 'Numbers of charts',
    page: 'device',
    states: {
      'behind a line': specimen(
        'ChartTable',
        <ChartTable
          title="device.readings"
          columns={['device.disk', 'device.memory']}
          rows={[
            ['Monday', '41 %', '62 %'],
            ['Tuesday', '42 %', '–'],
          ]}
        />,
      ),
    },
  },
];
