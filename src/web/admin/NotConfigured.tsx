/** The console cannot reach the orchestrator before its URL and token are set. */
import { isFailure } from "../api/failures.ts"
import { Card } from "../ui/Card.tsx"
import { EmptyState } from "../ui/States.tsx"

/** Names of the missing settings, if the failure has them. */
export const missingSettings = (error: unknown): ReadonlyArray<string> | undefined =>
  isFailure(error, "NotConfigured") && error instanceof Error && "missing" in error && Array.isArray(error.missing)
    ? error.missing.map(String)
    : undefined

/** In place of a page that shows the orchestrator. */
export function NotConfigured({ missing }: { readonly missing: ReadonlyArray<string> }) {
  return (
    <Card>
      <EmptyState icon="settings" title="Not configured">
        <p>
          To show the orchestrator here, set{" "}
          {missing.map((name, index) => (
            <span key={name}>
              {index > 0 && " and "}
              <code className="font-mono text-sm">{name}</code>
            </span>
          ))}{" "}
          for the builder backend, and restart it.
        </p>
      </EmptyState>
    </Card>
  )
}
