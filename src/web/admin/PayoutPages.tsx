/** Pages about payouts. They are loaded together: see `OrchestratorPages.tsx`. */
export { PayoutPage } from "./PayoutPage.tsx"
export { PayoutsPage } from "./PayoutsPage.tsx"
