import type { ReactNode } from 'react';
import { Frame } from './frame.tsx';
import { Panel, withPanel } from './panel.tsx';
import { Devices, Doorway } from './picture.tsx';

interface DefaultLayoutProps {
  /** A sentence in the panel. */
  beside: ReactNode;
  className?: string | undefined;
  children: ReactNode;
}

/** A form, and, on wide screens, a panel with a picture beside it. */
export const DefaultLayout = ({ beside, className = '', children }: DefaultLayoutProps) => (
  <Frame
    className={`${withPanel} ${className}`}
    panel={
      <Panel
        picture={
          <Doorway>
            <Devices />
          </Doorway>
        }
      >
        {beside}
      </Panel>
    }
  >
    {children}
  </Frame>
);
