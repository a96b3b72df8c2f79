/** Starts the app. */
import { QueryClientProvider } from "@tanstack/react-query"
import { RouterProvider } from "@tanstack/react-router"
import { StrictMode } from "react"
import { createRoot } from "react-dom/client"
import { queryClient } from "./api/queryClient.ts"
import { restoreTheme } from "./lib/theme.ts"
import { router } from "./router.tsx"
import { Toasts } from "./ui/kit.ts"
import { discover } from "./wallet/provider.ts"

restoreTheme()
discover()

const root = document.getElementById("root")
if (root !== null) {
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <RouterProvider router={router} />
        <Toasts />
      </QueryClientProvider>
    </StrictMode>
  )
}
