/** The page broke. Loading it again is the honest way out. */
import { ErrorState } from "./States.tsx"

export function CrashPage({ error }: { readonly error: unknown }) {
  return (
    <main className="grid min-h-dvh place-items-center">
      <ErrorState error={error} retry={() => location.reload()} />
    </main>
  )
}
