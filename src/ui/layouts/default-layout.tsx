import type { ReactNode } from 'react';
import css from './default-layout.module.css';
import { Frame } from './frame.tsx';
import { Panel, withPanel } from './panel.tsx';
import { Devices, Doorway } from './picture.tsx';

interface DefaultLayoutProps {
  /** A sentence for the quiet panel. */
  beside: ReactNode;
  /** Its form is higher than most screens. */
  tall?: boolean;
  children: ReactNode;
}

/** A form, and beside it, where there is room, a quiet panel with a picture. */
export const DefaultLayout = ({ beside, tall = false, children }: DefaultLayoutProps) => (
  <Frame
    className={tall ? `${withPanel} ${css.tall}` : withPanel}
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
