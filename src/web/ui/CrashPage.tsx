/** Shown after an unexpected error. It offers to reload the page. */
import { ErrorState } from "./States.tsx"

export function CrashPage({ error }: { readonly error: unknown }) {
  return (
    <main className="grid min-h-dvh place-items-center">
      <ErrorState error={error} retry={() => location.reload()} />
    </main>
  )
}
