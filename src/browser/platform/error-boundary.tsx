import { Component, type ReactNode } from 'react';

interface Props {
  /** Shown in place of the children when one of them throws, or when `broken`. */
  instead: ReactNode;
  broken: boolean;
  children: ReactNode;
}

/** Keeps an error in a screen from taking the whole document away. */
export class ErrorBoundary extends Component<Props, { failed: boolean }> {
  override state = { failed: false };
  static getDerivedStateFromError = () => ({ failed: true });
  override render(): ReactNode {
    return this.state.failed || this.props.broken ? this.props.instead : this.props.children;
  }
}
