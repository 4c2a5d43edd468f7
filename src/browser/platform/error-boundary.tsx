import { Component, type ReactNode } from 'react';

interface Props {
  /** Replaces the children if one of them throws, or if `broken`. */
  instead: ReactNode;
  broken: boolean;
  children: ReactNode;
}

/** Keeps an error in a screen from unmounting the whole document. */
export class ErrorBoundary extends Component<Props, { failed: boolean }> {
  override state = { failed: false };
  static getDerivedStateFromError = () => ({ failed: true });
  override render(): ReactNode {
    return this.state.failed || this.props.broken ? this.props.instead : this.props.children;
  }
}
