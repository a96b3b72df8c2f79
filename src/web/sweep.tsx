/** Starts the sweep page. It is apart from the app of builders and operators, so that it loads its own code only. */
import { StrictMode } from "react"
import { createRoot } from "react-dom/client"
import { restoreTheme } from "./lib/theme.ts"
import { SweepPage } from "./sweep/SweepPage.tsx"
import { CrashBoundary } from "./ui/CrashBoundary.tsx"
import { CrashPage } from "./ui/CrashPage.tsx"
import { discover } from "./wallet/provider.ts"

restoreTheme()
discover()

const root = document.getElementById("root")
if (root !== null) {
  createRoot(root).render(
    <StrictMode>
      <CrashBoundary fallback={<CrashPage />}>
        <SweepPage />
      </CrashBoundary>
    </StrictMode>
  )
}
