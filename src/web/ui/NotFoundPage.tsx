/** Shown for an unknown path. */
import { Link } from "@tanstack/react-router"
import { buttonClasses } from "./Button.tsx"
import { EmptyState } from "./States.tsx"

export function NotFoundPage() {
  return (
    <main className="grid min-h-dvh place-items-center">
      <EmptyState
        action={
          <Link className={buttonClasses("secondary", false)} to="/">
            Go to the overview
          </Link>
        }
        icon="search"
        title="There is no such page"
      >
        The link may be old, or mistyped.
      </EmptyState>
    </main>
  )
}
