/** Accounts of the screening tests, and the outcome of a screening as a word. */
import { Clock, Effect, FileSystem } from "effect"
import * as Accounts from "../../../src/devnet/Accounts.ts"
import type { ScreeningBlocked } from "../../../src/ports/shared/Screening.ts"

const CLEAR = Accounts.users().map((account) => account.address)
export const fixture = Effect.succeed({ chainId: 31337, clear: CLEAR, listed: Accounts.sanctioned() })

/** Writes the file at the time of the test's clock. The file system knows only the real one. */
export const rewrite = Effect.fnUntraced(function* (path: string, text: string) {
  const files = yield* FileSystem.FileSystem
  yield* files.writeFileString(path, text)
  const now = new Date(yield* Clock.currentTimeMillis)
  yield* files.utimes(path, now, now)
})

/** A file with this text, removed with the scope. */
export const snapshotFile = (text: string) =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const path = yield* files.makeTempFileScoped()
    yield* rewrite(path, text)
    return path
  })

export const outcome = <R>(screened: Effect.Effect<void, ScreeningBlocked, R>): Effect.Effect<string, never, R> =>
  Effect.match(screened, { onFailure: (blocked) => blocked.cause, onSuccess: () => "clear" })
