/** Pages about the orchestrator. They are loaded together, since each file of its own makes the first page larger. */
export { ControlsPage } from "./controls/ControlsPage.tsx"
export { FeesPage } from "./FeesPage.tsx"
export { OperationsPage } from "./OperationsPage.tsx"
