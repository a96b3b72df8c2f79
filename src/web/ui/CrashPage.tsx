/** Shown in place of a page that failed to render. */
import { CrashNotice } from "./CrashNotice.tsx"

export function CrashPage() {
  return (
    <main className="grid min-h-dvh place-items-center">
      <CrashNotice />
    </main>
  )
}
