/** Reads for users on several chains at once, so that a chain without an answer delays and fails none of the others. */
import { Effect, Option } from "effect"
import type { ChainId } from "../../domain/ChainId.ts"
import type { ChainClient } from "../../ports/shared/Chains.ts"
import { within } from "../../runtime/Within.ts"

/** Time limit of one chain, in milliseconds. */
const LIMIT_MILLIS = 1_500

export interface Answers<A> {
  readonly answers: ReadonlyArray<A>
  /** Chains that failed or did not answer in time. */
  readonly unavailableChains: ReadonlyArray<ChainId>
}

const unanswered = ({ chain }: ChainClient, detail: string) =>
  Effect.as(
    Effect.annotateLogs(Effect.logWarning("chain.read_unanswered"), { chain: chain.name, chainId: chain.id, detail }),
    Option.none<never>()
  )

/**
 * Asks every chain that is known to answer. Answers are in the order of the chains, and the others are named at once. Defects are
 * not caught.
 */
export const askAnswering = Effect.fnUntraced(function* <A, E extends { readonly message: string }, R>(
  clients: ReadonlyArray<ChainClient>,
  ask: (client: ChainClient) => Effect.Effect<A, E, R>
): Effect.fn.Return<Answers<A>, never, R> {
  const up = yield* Effect.filter(clients, ({ isAnswering }) => isAnswering)
  const { answers, unavailableChains: silent } = yield* askEach(up, ask)
  const isMissing = (client: ChainClient) => !up.includes(client) || silent.includes(client.chain.id)
  return { answers, unavailableChains: clients.flatMap((client) => (isMissing(client) ? [client.chain.id] : [])) }
})

/** Asks every chain. Answers are in the order of the chains. Defects are not caught. */
export const askEach = Effect.fnUntraced(function* <A, E extends { readonly message: string }, R>(
  clients: ReadonlyArray<ChainClient>,
  ask: (client: ChainClient) => Effect.Effect<A, E, R>
): Effect.fn.Return<Answers<A>, never, R> {
  const outcomes = yield* Effect.forEach(
    clients,
    (client) =>
      ask(client).pipe(
        within(LIMIT_MILLIS),
        Effect.flatMap((answer): Effect.Effect<Option.Option<A>> =>
          Option.isSome(answer) ? Effect.succeed(answer) : unanswered(client, `no answer within ${LIMIT_MILLIS} ms`)
        ),
        Effect.catch((error): Effect.Effect<Option.Option<A>> => unanswered(client, error.message))
      ),
    { concurrency: "unbounded" }
  )
  const isMissing = (index: number) => Option.isNone(outcomes[index] ?? Option.none())
  return {
    answers: outcomes.flatMap(Option.toArray),
    unavailableChains: clients.flatMap(({ chain }, index) => (isMissing(index) ? [chain.id] : []))
  }
})
