/**
 * A builder backend that records: exactly once under a message's key, and with the option to say nothing, before or after it
 * has recorded. It can be reached by several addresses, so that it is known who asks.
 */
import { Effect, type Scope } from "effect"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"

/** A message is not answered: before it is recorded, or after. */
export interface Trap {
  readonly when: "before" | "after"
  /** Of `/accruals` and `/revenue`, and of whatever else is posted. */
  readonly path: string
}

export interface Address {
  readonly url: string
  /** Asks `caught` about the next such message, once: if it says so, the message stays without an answer. */
  readonly set: (trap: Trap, caught: () => boolean) => void
  readonly unset: () => void
}

export interface Backend {
  readonly address: Effect.Effect<Address, never, Scope.Scope>
  /** The keys of all that was recorded. */
  readonly booked: () => ReadonlyArray<string>
  /** Keys that came again with other content. */
  readonly contradicted: () => ReadonlyArray<string>
}

/** Every sweep with this key earns this builder its markup. */
export const API_KEY = "key of the only builder"

const BUILDER = {
  builderId: "bld_chaos",
  builderBps: 20,
  maxBuilderBps: 100,
  payoutAddress: privateKeyToAccount(generatePrivateKey()).address,
  payoutMode: "ledger"
}

const kinds: Readonly<Record<string, string>> = { "/accruals": "accrual", "/revenue": "revenue" }

export const make = (): Backend => {
  const books = new Map<string, string>()
  const contradicted = new Set<string>()

  const record = (path: string, body: string): void => {
    const kind = kinds[path]
    if (kind === undefined) return
    const { sweepId } = JSON.parse(body) as { readonly sweepId: string }
    const key = `${kind}:${sweepId}`
    const before = books.get(key)
    if (before !== undefined && before !== body) contradicted.add(key)
    books.set(key, body)
  }

  const address = Effect.gen(function* () {
    let armed: { readonly trap: Trap; readonly caught: () => boolean } | undefined
    const server = yield* Effect.acquireRelease(
      Effect.sync(() =>
        Bun.serve({
          hostname: "127.0.0.1",
          port: 0,
          fetch: async (request) => {
            const path = new URL(request.url).pathname
            if (path === "/attribute") return Response.json(BUILDER)
            const body = await request.text()
            const found = armed?.trap.path === path ? armed : undefined
            if (found !== undefined) armed = undefined
            const isCaught = found?.caught() === true
            if (!isCaught || found?.trap.when === "after") record(path, body)
            return isCaught ? new Promise<Response>(() => undefined) : Response.json({ ok: true }, { status: 201 })
          }
        })
      ),
      (running) => Effect.promise(() => running.stop(true))
    )
    return {
      url: `http://127.0.0.1:${server.port}`,
      set: (trap, caught) => {
        armed = { trap, caught }
      },
      unset: () => {
        armed = undefined
      }
    } satisfies Address
  })

  return { address, booked: () => [...books.keys()], contradicted: () => [...contradicted] }
}
