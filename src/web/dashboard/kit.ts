/** Parts of several pages of the dashboard, which are in the app's script for the reason that `ui/kit.ts` tells. */
export { ActivityTable } from "./ActivityTable.tsx"
export { DashboardLayout } from "./DashboardLayout.tsx"
export { ExportCsv } from "./ExportCsv.tsx"
export { FilterBar } from "./lists/FilterBar.tsx"
export { Rows } from "./lists/ListPage.tsx"
export { call } from "./sweeps/client.ts"
export { useBuilder } from "./useBuilder.ts"
