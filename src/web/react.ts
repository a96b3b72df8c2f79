/**
 * React entry of the package: the widget, and hooks for apps that draw their own page. The widget needs `styles.css`.
 *
 * @example
 * import { SweepWidget } from "token-sweep/react"
 * import "token-sweep/react/styles.css"
 */
export { type PortfolioState, usePortfolio } from "./sweep/host/usePortfolio.ts"
export type { SweepStart, SweepState } from "./sweep/host/sweepStore.ts"
export { type HostSweep, useSweep } from "./sweep/host/useSweep.ts"
export { SweepWidget } from "./sweep/SweepWidget.tsx"
export type { SweepWidgetProps } from "./sweep/SweepWidgetProps.ts"
export type { TargetDefaults } from "./sweep/target.ts"
