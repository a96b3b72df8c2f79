/** A chain with two endpoints, of which the one that is asked first lies. */
import { Context, Effect, Equal } from "effect"
import { type ChainClient, ChainUnavailable } from "../../src/ports/shared/Chains.ts"
import type { Corroborating } from "../../src/ports/shared/Corroborating.ts"

/** True in a read of the honest endpoint. */
const IsHonest = Context.Reference<boolean>("sweep/test/IsHonest", { defaultValue: () => false })

type Lies = Partial<Pick<ChainClient, "block" | "call" | "logs" | "receipt" | "transactionCount">>

/** Answers by `lies` first, and by the client's own answers when a read is compared. The honest endpoint has every block. */
export const lying = (client: ChainClient, lies: Lies): ChainClient => {
  const answers = { ...client, ...lies }
  const chosen = <A, E>(lie: Effect.Effect<A, E>, truth: Effect.Effect<A, E>): Effect.Effect<A, E> =>
    Effect.flatMap(IsHonest, (isHonest) => (isHonest ? truth : lie))
  const attested: Corroborating<ChainUnavailable>["attested"] = (read, { isSame = Equal.equals } = {}) =>
    Effect.map(read, (answer) => ({
      answer,
      corroborate: Effect.flatMap(Effect.provideService(read, IsHonest, true), (truth) =>
        isSame(answer, truth)
          ? Effect.succeed(answer)
          : Effect.fail(
              new ChainUnavailable({
                chainId: client.chain.id,
                method: "a read of two endpoints",
                detail: "liar and honest gave different answers",
                isContradiction: true
              })
            )
      )
    }))
  return {
    ...client,
    attested,
    corroborated: (read, comparison) => Effect.flatMap(attested(read, comparison), ({ corroborate }) => corroborate),
    block: (which) => chosen(answers.block(which), client.block(which)),
    call: (request) => chosen(answers.call(request), client.call(request)),
    logs: (filter) => chosen(answers.logs(filter), client.logs(filter)),
    receipt: (hash, scope) => chosen(answers.receipt(hash, scope), client.receipt(hash, scope)),
    transactionCount: (account, block) =>
      chosen(answers.transactionCount(account, block), client.transactionCount(account, block))
  }
}
