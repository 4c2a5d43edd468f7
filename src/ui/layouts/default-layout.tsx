import type { ReactNode } from 'react';
import { Frame } from './frame.tsx';
import { Panel, withPanel } from './panel.tsx';
import { Devices, Doorway } from './picture.tsx';

interface DefaultLayoutProps {
  /** A sentence in the panel. */
  beside: ReactNode;
  /** The picture in the doorway; default: devices. */
  picture?: ReactNode;
  className?: string | undefined;
  children: ReactNode;
}

/** A form, and, on wide screens, a panel with a picture beside it. */
export const DefaultLayout = ({ beside, picture = <Devices />, className = '', children }: DefaultLayoutProps) => (
  <Frame className={`${withPanel} ${className}`} panel={<Panel picture={<Doorway>{picture}</Doorway>}>{beside}</Panel>}>
    {children}
  </Frame>
);
