/** Pages about sweeps. They are loaded together: each file of its own makes the first page larger. */
export { SweepDetailPage } from "./SweepDetailPage.tsx"
export { SweepsPage } from "./SweepsPage.tsx"
