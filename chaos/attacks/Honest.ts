/** Honest users who sweep listed tokens all the time, one sweep after another, and the time that each sweep takes. */
import { Effect, Latch } from "effect"
import { type PrivateKeyAccount } from "viem"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import * as Address from "../../src/domain/Address.ts"
import { units } from "../../src/devnet/Tokens.ts"
import type { World } from "../World.ts"
import * as Clients from "./Clients.ts"

/** Users who sweep at the same time. */
const USERS = 3

/** Each user sweeps for several owners in turn, as one owner has one sweep under way. */
const OWNERS_PER_USER = 4

/** They sweep to and fro, so that the price between the two stays. */
const PAIRS = [
  ["DAI", "USDC"],
  ["USDC", "DAI"]
] as const

const pairOf = (index: number) => PAIRS[index % 2] ?? PAIRS[0]

/** Large enough that the fee of a spike of the gas price leaves most of it. */
const WHOLE = 5_000n
const HOLDING = 50_000_000n

const LOOK_MILLIS = 50

/** Between two sweeps of a user. */
const REST_MILLIS = 100

/** A sweep that has not settled after so long is reported as failed. */
const PATIENCE_MILLIS = 60_000

/** Each sweep has a client address of its own, so that rate limits do not meet honest users. */
const addressOf = (sweep: number) => `198.18.${Math.floor(sweep / 250) % 250}.${(sweep % 250) + 1}`

/** A sweep, from the request of its quote to its settlement. Times are of `performance.now()`. */
export interface Sample {
  readonly since: number
  readonly until: number
  /** End of its quote, and of its submission. Absent where it did not come so far. */
  readonly quotedAt?: number
  readonly submittedAt?: number
  /** Cause, if it was refused, failed or did not settle. */
  readonly failure?: string
}

export interface Honest {
  readonly owners: ReadonlyArray<PrivateKeyAccount>
  /** Sweeps that have ended so far. */
  readonly samples: () => ReadonlyArray<Sample>
  /** Waits until every sweep that is under way has ended. */
  readonly settled: Effect.Effect<void>
  /** Begins no sweep while `effect` runs, which starts when none is under way. */
  readonly paused: <A, E, R>(effect: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

/** Waits until a sweep has settled. Returns the cause if it does not; `since` is the time at which its user began. */
const ended = Effect.fnUntraced(function* (sql: World["sql"], id: string, since: number) {
  for (;;) {
    // A sweep that is given up fails only when its deadline has passed.
    const [row] = yield* sql<{ status: string; reason: string | null }>`
      SELECT i.status, g.reason FROM orchestrator.intent_states i
      LEFT JOIN orchestrator.given_up_intents g ON g.intent_id = i.id WHERE i.id = ${id}`
    if (row?.status === "settled_source" || row?.status === "delivered") return undefined
    if (row?.status === "failed") return "failed"
    if (typeof row?.reason === "string") return `given up: ${row.reason}`
    if (performance.now() - since > PATIENCE_MILLIS) return `is ${row?.status} after a minute`
    yield* Effect.sleep(LOOK_MILLIS)
  }
})

/** Sweeps until the scope closes. Every second sweep is attributed to the builder. */
export const start = Effect.fnUntraced(function* ({ alpha, slots, sql }: World) {
  const { dev } = alpha
  const owners = Array.from({ length: USERS * OWNERS_PER_USER }, () => privateKeyToAccount(generatePrivateKey()))
  yield* Effect.forEach(
    owners,
    ({ address }, index) => {
      const [token] = pairOf(index)
      return dev.fund(Address.of(address), { token, amount: units(token, HOLDING) })
    },
    { concurrency: "unbounded", discard: true }
  )
  const samples: Array<Sample> = []
  /** Times at which the sweeps under way began, by user. */
  const underWay = new Map<number, number>()
  const gate = yield* Latch.make(true)
  let count = 0

  const sweep = Effect.fnUntraced(function* (owner: PrivateKeyAccount, [tokenIn, tokenOut]: (typeof PAIRS)[number]) {
    const slot = slots[count % slots.length]
    count += 1
    const client = Clients.make(slot?.url ?? "", alpha, addressOf(count))
    const since = performance.now()
    const quoted = yield* Effect.promise(() =>
      client.quote({
        owner,
        tokenIn: dev.tokens[tokenIn],
        amountIn: units(tokenIn, WHOLE),
        tokenOut: dev.tokens[tokenOut],
        isAttributed: count % 2 === 0
      })
    )
    if (Clients.isRefusal(quoted)) return { since, failure: `quote refused: ${quoted.status} ${quoted.text}` }
    const quotedAt = performance.now()
    const refused = yield* Effect.promise(() => client.submit(quoted))
    const submittedAt = performance.now()
    if (refused !== undefined) return { since, failure: `submission refused: ${refused.status} ${refused.text}` }
    const failure = yield* ended(sql, quoted.id, since)
    return {
      since,
      quotedAt,
      submittedAt,
      ...(failure === undefined ? {} : { failure: `${quoted.id} ${failure}` })
    }
  })

  const user = Effect.fnUntraced(function* (index: number) {
    for (let turn = 0; ; turn++) {
      const place = index * OWNERS_PER_USER + (turn % OWNERS_PER_USER)
      const owner = owners[place]
      if (owner === undefined) return yield* Effect.die(new Error("every user has owners"))
      yield* gate.await
      underWay.set(index, performance.now())
      const found = yield* sweep(owner, pairOf(place))
      samples.push({ ...found, until: performance.now() })
      underWay.delete(index)
      yield* Effect.sleep(REST_MILLIS)
    }
  })

  yield* Effect.forEach(
    Array.from({ length: USERS }, (_, index) => index),
    (index) => Effect.forkScoped(user(index))
  )
  const settled = Effect.gen(function* () {
    const now = performance.now()
    while ([...underWay.values()].some((since) => since <= now)) yield* Effect.sleep(LOOK_MILLIS)
  })
  const paused: Honest["paused"] = (effect) =>
    Effect.acquireUseRelease(
      Effect.andThen(gate.close, settled),
      () => effect,
      () => gate.open
    )
  return { owners, samples: () => samples, settled, paused } satisfies Honest
})
