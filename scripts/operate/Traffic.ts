/** Clients that sweep without a pause: fresh owners on both chains, and from one to the other. Every accepted sweep is remembered. */
import { Effect, Fiber, Schedule } from "effect"
import { generatePrivateKey, type PrivateKeyAccount, privateKeyToAccount } from "viem/accounts"
import type { DevChain } from "../../src/devnet/DevChain.ts"
import type { DevInfo } from "../../src/devnet/DevInfo.ts"
import * as Address from "../../src/domain/Address.ts"
import * as SweepClient from "../../test/support/SweepClient.ts"

export interface Accepted {
  readonly id: string
  status: string
}

export interface Place {
  readonly dev: DevChain
  readonly info: DevInfo["chains"][number]
}

interface Options {
  readonly url: string
  readonly apiKey: string
  readonly places: readonly [Place, Place]
}

const CLIENTS = 4

const TOKENS = ["USDC", "DAI", "USDT"] as const

/** Time for which a client asks about a sweep. A chain may be paused meanwhile. */
const PATIENCE_SECONDS = 240

/** Attempts of a request, and the pause between them. */
const ATTEMPTS = 40
const PAUSE_MILLIS = 250

interface Drawn {
  readonly from: Place
  readonly to: Place
  readonly token: (typeof TOKENS)[number]
  readonly amount: string
}

/** Half of the sweeps start on the first chain, and every second of these goes to the other one. */
const drawn = (number: number, [first, second]: Options["places"]): Drawn => {
  const token = TOKENS[number % TOKENS.length] ?? "USDC"
  const amount = `${20 + (number % 50)}.5`
  if (number % 2 === 1) return { from: second, to: second, token, amount }
  return { from: first, to: number % 4 === 0 ? second : first, token, amount }
}

const requestOf = ({ amount, from, to, token }: Drawn, owner: Address.Address, apiKey: string) => ({
  owner,
  chain: from.info,
  destChain: to.info,
  tokenIn: token,
  amountIn: amount,
  tokenOut: from === to ? (token === "USDC" ? "DAI" : "USDC") : token,
  apiKey
})

/** Asks again while no replica answers. */
const persistently = async <A>(ask: () => Promise<A>): Promise<A> => {
  for (let attempt = 1; ; attempt++) {
    try {
      return await ask()
    } catch (error) {
      if (attempt === ATTEMPTS) throw error
      await Bun.sleep(PAUSE_MILLIS)
    }
  }
}

/** Quotes, signs and submits. Undefined if the service refused. */
const submitted = async (
  http: SweepClient.SweepClient,
  account: PrivateKeyAccount,
  request: SweepClient.SweepRequest
): Promise<string | undefined> => {
  const quote = await persistently(() => http.quote(request))
  if (quote.status !== 200) return undefined
  const signed = await SweepClient.sign(account, quote)
  const answer = await persistently(async () => {
    const said = await http.submit(signed)
    if (said.status >= 500) throw new Error(said.text)
    return said
  })
  return answer.status === 201 ? signed.quoteId : undefined
}

export const make = ({ apiKey, places, url }: Options) => {
  const accepted: Array<Accepted> = []
  let turn = 0

  const once = Effect.fnUntraced(function* (client: number) {
    const sweep = drawn(turn++, places)
    const account = privateKeyToAccount(generatePrivateKey())
    const request = requestOf(sweep, Address.of(account.address), apiKey)
    // The node may be stopped for a while.
    yield* sweep.from.dev
      .fund(request.owner, { token: sweep.token, amount: SweepClient.amountOf(request) })
      .pipe(Effect.retry({ schedule: Schedule.spaced("1 second"), times: 120 }))
    yield* Effect.promise(async () => {
      const http = SweepClient.make(url, 1 + client)
      const id = await submitted(http, account, request)
      // As on a chain that is paused.
      if (id === undefined) return Bun.sleep(PAUSE_MILLIS)
      const entry: Accepted = { id, status: "submitted" }
      accepted.push(entry)
      const end = await persistently(() => http.ended(id, PATIENCE_SECONDS))
      entry.status = end.string("status")
    })
  })

  /** Runs clients while `body` runs, and then until all that was accepted has ended. */
  const during = Effect.fnUntraced(function* <A, E, R>(body: Effect.Effect<A, E, R>) {
    let isOver = false
    const clients = yield* Effect.forEach(
      Array.from({ length: CLIENTS }, (_, index) => index),
      (client) => Effect.forkChild(Effect.repeat(once(client), { until: () => isOver }))
    )
    const result = yield* body
    isOver = true
    yield* Effect.forEach(clients, Fiber.join, { discard: true })
    return result
  })

  const endedCount = () => accepted.filter(({ status }) => status !== "submitted").length

  /** Waits until this many more sweeps have ended. */
  const more = (count: number) =>
    Effect.suspend(() => {
      const goal = endedCount() + count
      return Effect.repeat(Effect.sync(endedCount), {
        schedule: Schedule.spaced("50 millis"),
        until: (ended) => ended >= goal
      })
    }).pipe(Effect.timeout("120 seconds"))

  /** Waits until the first `count` sweeps that were accepted have ended. */
  const endedFirst = (count: number) =>
    Effect.repeat(
      Effect.sync(() => accepted.slice(0, count).every(({ status }) => status !== "submitted")),
      { schedule: Schedule.spaced("50 millis"), until: (isOver) => isOver }
    ).pipe(Effect.timeout(`${PATIENCE_SECONDS} seconds`))

  /** Status of a request for a quote on the second chain. */
  const quotedThere = Effect.promise(async () => {
    const request = requestOf(drawn(1, places), Address.of(`0x${"11".repeat(20)}`), apiKey)
    return (await SweepClient.make(url, 200).post("/quote", SweepClient.quoteBody(request))).status
  })

  return { during, endedFirst, more, quotedThere, accepted: accepted as ReadonlyArray<Accepted> }
}

export type Traffic = ReturnType<typeof make>
