/** Pages about API keys and first steps. They are loaded together: each file of its own makes the first page larger. */
export { KeysPage } from "./KeysPage.tsx"
export { QuickstartPage } from "../quickstart/QuickstartPage.tsx"
