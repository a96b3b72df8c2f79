/**
 * {@link Screening} by the sanctions oracle that Chainalysis keeps on each chain: a contract that answers
 * `isSanctioned(address)` with a bool. Whatever is not a clean answer for every address blocks.
 */
import { Duration, Effect, Layer, Option } from "effect"
import { encodeFunctionData, parseAbi } from "viem"
import type * as Address from "../../domain/Address.ts"
import type { ChainId } from "../../domain/ChainId.ts"
import { Chains } from "../../ports/Chains.ts"
import { Screening, ScreeningBlocked } from "../../ports/Screening.ts"
import * as Multicall3 from "../evm/Multicall3.ts"
import * as FailClosed from "./FailClosed.ts"

const ORACLE = parseAbi(["function isSanctioned(address account) view returns (bool)"])

export interface Options {
  /** How long the node may take; longer is no answer. */
  readonly timeout?: Duration.Input
}

export const make = Effect.fnUntraced(function* (options: Options = {}) {
  const chains = yield* Chains

  const ask = Effect.fnUntraced(function* (chainId: ChainId, addresses: ReadonlyArray<Address.Address>) {
    const client = yield* chains.get(chainId)
    const answers = yield* Multicall3.read(
      client,
      addresses.map((account) => ({
        to: client.chain.sanctionsOracle,
        data: encodeFunctionData({ abi: ORACLE, functionName: "isSanctioned", args: [account] })
      }))
    )
    const verdicts = answers.map((answer) => Option.getOrUndefined(Multicall3.word(answer)))
    if (verdicts.includes(1n)) return yield* new ScreeningBlocked({ cause: "listed" })
    if (verdicts.some((verdict) => verdict !== 0n)) {
      return yield* FailClosed.unavailable(`the sanctions oracle of chain ${chainId} did not answer with booleans`)
    }
  })

  const clear = Effect.fn("SanctionsOracle.clear")(
    function* (chainId: ChainId, addresses: ReadonlyArray<Address.Address>) {
      if (addresses.length > 0) yield* ask(chainId, addresses)
    },
    FailClosed.guard("the sanctions oracle", options.timeout ?? Duration.seconds(3))
  )

  return Screening.of({ clear })
})

export const layer = (options?: Options) => Layer.effect(Screening, make(options))
