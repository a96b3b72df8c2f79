/** Keeps the rest of a page when a part of it fails to render, such as a script that is no longer on the server. */
import { Component, type ReactNode } from "react"

export interface CrashBoundaryProps {
  readonly children: ReactNode
  /** Shown in place of the children once they failed. */
  readonly fallback: ReactNode
}

export class CrashBoundary extends Component<CrashBoundaryProps, { readonly hasFailed: boolean }> {
  override state = { hasFailed: false }

  static getDerivedStateFromError() {
    return { hasFailed: true }
  }

  override render() {
    return this.state.hasFailed ? this.props.fallback : this.props.children
  }
}
