/** Accounts of the screening tests, and the outcome of a screening as a word. */
import { Effect, FileSystem } from "effect"
import * as Accounts from "../../../src/devnet/Accounts.ts"
import type { ScreeningBlocked } from "../../../src/ports/shared/Screening.ts"

const CLEAR = Accounts.users().map((account) => account.address)
export const fixture = Effect.succeed({ chainId: 31337, clear: CLEAR, listed: Accounts.sanctioned() })

/** A file with this text, removed with the scope. */
export const snapshotFile = (text: string) =>
  Effect.gen(function* () {
    const files = yield* FileSystem.FileSystem
    const path = yield* files.makeTempFileScoped()
    yield* files.writeFileString(path, text)
    return path
  })

export const outcome = <R>(screened: Effect.Effect<void, ScreeningBlocked, R>): Effect.Effect<string, never, R> =>
  Effect.match(screened, { onFailure: (blocked) => blocked.cause, onSuccess: () => "clear" })
