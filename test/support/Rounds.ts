/**
 * Counts the sequential round trips to nodes. Requests are held until the service has nothing else to do, and then answered
 * together: that is one round, however fast the machine is.
 */
import { Effect, type Exit } from "effect"

/** The requests of one round, each as the node's URL and the methods that it carries, such as `eth_call@latest`. */
export type Round = ReadonlyArray<{ readonly url: string; readonly methods: ReadonlyArray<string> }>

export interface Rounds {
  readonly fetch: typeof globalThis.fetch
  /** Runs the effect. Its rounds end with the effect; requests of others at the same time are counted with its own. */
  readonly of: <A, E>(
    effect: Effect.Effect<A, E>
  ) => Effect.Effect<{ readonly exit: Exit.Exit<A, E>; readonly rounds: ReadonlyArray<Round> }>
}

interface Held {
  readonly url: string
  readonly methods: ReadonlyArray<string>
  readonly forward: () => Promise<() => void>
}

interface RpcRequest {
  readonly method: string
  readonly params?: ReadonlyArray<unknown>
}

const labelOf = ({ method, params }: RpcRequest): string =>
  method === "eth_call" ? `${method}@${String(params?.[1])}` : method

/** Turns of the event loop without a new request after which a round is complete. Nothing but nodes is waited for. */
const QUIET_TURNS = 200

const turn = () => new Promise<void>((resolve) => setImmediate(resolve))

export const make = (): Rounds => {
  let held: Array<Held> = []

  const fetch = async (input: Parameters<typeof globalThis.fetch>[0], init?: RequestInit): Promise<Response> => {
    const request = new Request(input, init)
    const body = await request.text()
    const parsed = JSON.parse(body) as RpcRequest | ReadonlyArray<RpcRequest>
    const methods = ("method" in parsed ? [parsed] : parsed).map(labelOf)
    return new Promise((resolve, reject) => {
      const abandoned = () => reject(new DOMException("interrupted", "AbortError"))
      init?.signal?.addEventListener("abort", abandoned)
      held.push({
        url: request.url,
        methods,
        forward: async () => {
          const response = await globalThis.fetch(request.url, {
            method: "POST",
            headers: { "content-type": "application/json" },
            body
          })
          const text = await response.text()
          return () => resolve(new Response(text, { status: response.status }))
        }
      })
    })
  }

  const quiet = async (isDone: () => boolean) => {
    let seen = held.length
    for (let turns = 0; turns < QUIET_TURNS && !isDone(); turns++) {
      await turn()
      if (held.length !== seen) {
        seen = held.length
        turns = 0
      }
    }
  }

  const of: Rounds["of"] = (effect) =>
    Effect.promise(async () => {
      held = []
      const rounds: Array<Round> = []
      let isDone = false
      const running = Effect.runPromiseExit(effect).finally(() => {
        isDone = true
      })
      for (;;) {
        await quiet(() => isDone)
        if (isDone) return { exit: await running, rounds }
        if (held.length === 0) continue
        const round = held
        held = []
        rounds.push(round.map(({ methods, url }) => ({ url, methods })))
        const answers = await Promise.all(round.map(({ forward }) => forward()))
        for (const answer of answers) answer()
      }
    })

  return { fetch: Object.assign(fetch, { preconnect: () => {} }), of }
}

/** The most rounds in which one node was asked. */
export const longest = (rounds: ReadonlyArray<Round>): number => {
  const urls = new Set(rounds.flat().map(({ url }) => url))
  return Math.max(
    0,
    ...Array.from(urls, (url) => rounds.filter((round) => round.some((each) => each.url === url)).length)
  )
}

/** Each round on a line of its own, for a failed assertion. */
export const shown = (rounds: ReadonlyArray<Round>): string =>
  rounds
    .map(
      (round, index) =>
        `${index + 1}: ${round.map(({ methods, url }) => `${url.slice(-6)}[${methods.join(" ")}]`).join(" ")}`
    )
    .join("\n")
