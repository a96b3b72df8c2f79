/** Retires the guard of the first generation: tells which targets it still lists, and encodes their removal. */
import { Effect, Option } from "effect"
import { encodeFunctionData } from "viem"
import type * as Address from "../../../domain/Address.ts"
import type { Chain } from "../../../domain/Chain.ts"
import type { Hex } from "../../../domain/Hex.ts"
import type { ChainClient, ChainUnavailable } from "../../../ports/shared/Chains.ts"
import { sweepGuard } from "../abi/firstGeneration.ts"
import * as Multicall3 from "../codec/Multicall3.ts"
import { firstGenerationOf } from "./Deployment.ts"

const { abi } = sweepGuard

/** Guards of the first generation that the chain's entry names, as `priorGuard` or in `earlierContracts`. */
export const guardsOf = ({
  earlierContracts = [],
  priorGuard
}: Pick<Chain, "earlierContracts" | "priorGuard">): ReadonlyArray<Address.Address> => {
  const first = earlierContracts.filter(({ entry, guard }) => entry === firstGenerationOf(guard).entry)
  return [...new Set([...(priorGuard === undefined ? [] : [priorGuard]), ...first.map(({ guard }) => guard)])]
}

/** Calldata that removes a target. The first generation's targets have no kind. */
export const encodeRemove = (target: Address.Address): Hex =>
  encodeFunctionData({ abi, functionName: "setTarget", args: [target, false] })

/** Those of the targets that the guard lists, also those that still wait for its timelock. None if the guard has no code. */
export const listed = Effect.fn("FirstGuard.listed")(function* (
  client: ChainClient,
  guard: Address.Address,
  targets: ReadonlyArray<Address.Address>
): Effect.fn.Return<ReadonlyArray<Address.Address>, ChainUnavailable> {
  const answers = yield* Multicall3.read(
    client,
    targets.map((target) => ({
      to: guard,
      data: encodeFunctionData({ abi, functionName: "activeFrom", args: [target] })
    }))
  )
  return targets.filter((_, index) =>
    Option.exists(Multicall3.word(answers[index] ?? Multicall3.NONE), (activeFrom) => activeFrom > 0n)
  )
})
