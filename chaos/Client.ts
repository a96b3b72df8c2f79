/** Somebody who keeps sweeping, whatever happens to the service, and writes down for good what was acknowledged. */
import { closeSync, fsyncSync, openSync, readFileSync, writeSync } from "node:fs"
import { Effect, type Scope } from "effect"
import type { PrivateKeyAccount } from "viem"
import * as SweepClient from "../test/support/SweepClient.ts"
import { API_KEY } from "./Backend.ts"

export interface Sweep {
  readonly id: string
  readonly owner: PrivateKeyAccount
  readonly signed: SweepClient.Signed
}

/** `unknown`: there was no answer, or one that leaves it open. */
type Answer = "acknowledged" | "refused" | "unknown"

export interface Client {
  /** Undefined where the service gives none just now. */
  readonly quote: (
    url: string,
    owner: PrivateKeyAccount,
    request: Omit<SweepClient.SweepRequest, "owner">
  ) => Effect.Effect<Sweep | undefined>
  readonly submit: (url: string, sweep: Sweep) => Effect.Effect<Answer>
  /** Finds out about submissions that had no answer, as clients do: submits again what is still only quoted. */
  readonly followUp: (url: string) => Effect.Effect<void>
  /** Bodies of the refused submissions, by the id of the sweep. */
  readonly refusals: ReadonlyMap<string, string>
  /** Ids of the log, read back from the disk. */
  readonly acknowledged: () => ReadonlyArray<string>
  readonly counts: () => { readonly quoted: number; readonly submitted: number }
}

const ANSWER_MILLIS = 20_000

/** No answer, whatever the reason, is status 0. */
const asked = (answer: () => Promise<SweepClient.Answer>) =>
  Effect.tryPromise(answer).pipe(
    Effect.timeout(ANSWER_MILLIS),
    Effect.match({ onFailure: () => undefined, onSuccess: (found) => found })
  )

/** Its log is the file, which must not exist. */
export const make = Effect.fn("Client.make")(function* (logFile: string): Effect.fn.Return<Client, never, Scope.Scope> {
  const log = yield* Effect.acquireRelease(
    Effect.sync(() => openSync(logFile, "ax")),
    (file) => Effect.sync(() => closeSync(file))
  )
  /** Submissions without a clear answer. */
  const open = new Map<string, Sweep>()
  const refusals = new Map<string, string>()
  let quoted = 0
  let submitted = 0

  const acknowledge = (id: string): Answer => {
    writeSync(log, `${id}\n`)
    fsyncSync(log)
    open.delete(id)
    return "acknowledged"
  }

  const quote: Client["quote"] = Effect.fnUntraced(function* (url, owner, request) {
    const body = { ...SweepClient.quoteBody({ ...request, owner: owner.address }), apiKey: API_KEY }
    const answer = yield* asked(() => SweepClient.make(url).post("/quote", body))
    if (answer?.status !== 200) return undefined
    quoted += 1
    const signed = yield* Effect.promise(() => SweepClient.sign(owner, answer))
    return { id: signed.quoteId, owner, signed }
  })

  const submit: Client["submit"] = Effect.fnUntraced(function* (url, sweep) {
    const { id, signed } = sweep
    submitted += 1
    open.set(id, sweep)
    const answer = yield* asked(() => SweepClient.make(url).submit(signed))
    if (answer?.status === 201) return acknowledge(id)
    if (answer?.status === 400 || answer?.status === 422) {
      open.delete(id)
      refusals.set(id, answer.text)
      return "refused"
    }
    return "unknown"
  })

  const followUp: Client["followUp"] = Effect.fnUntraced(function* (url) {
    yield* Effect.forEach(
      [...open.values()],
      Effect.fnUntraced(function* (sweep) {
        const answer = yield* asked(() => SweepClient.make(url).get(`/intents/${sweep.id}`))
        if (answer?.status !== 200) return
        if (answer.string("status") === "quoted") yield* submit(url, sweep)
        // The service says that it has it, which is as good.
        else acknowledge(sweep.id)
      }),
      { concurrency: 4, discard: true }
    )
  })

  return {
    quote,
    submit,
    followUp,
    refusals,
    acknowledged: () => readFileSync(logFile, "utf8").split("\n").filter(Boolean),
    counts: () => ({ quoted, submitted })
  }
})
