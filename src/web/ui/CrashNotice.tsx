/** Shown in place of what failed to render. A release that replaces the page's scripts is the usual reason, so it offers to reload. */
import { Button } from "./Button.tsx"
import { EmptyState } from "./States.tsx"

export function CrashNotice() {
  return (
    <div role="alert">
      <EmptyState
        action={
          <Button icon="refresh" onClick={() => location.reload()}>
            Reload the page
          </Button>
        }
        icon="alert"
        title="A part of this page could not be loaded"
      >
        The page may have been updated since you opened it. What you signed goes on.
      </EmptyState>
    </div>
  )
}
