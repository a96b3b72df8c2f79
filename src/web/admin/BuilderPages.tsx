/** Pages about builders. They are loaded together: see `OrchestratorPages.tsx`. */
export { BuilderPage } from "./BuilderPage.tsx"
export { BuildersPage } from "./BuildersPage.tsx"
