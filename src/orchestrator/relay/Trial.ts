/** Simulates claimed sweeps to find out which of them would settle in the next block. */
import { Effect } from "effect"
import type * as Address from "../../domain/Address.ts"
import { designator } from "../../domain/Delegation.ts"
import { type Hex, size } from "../../domain/Hex.ts"
import { simulatedAlone, simulationGasLimit } from "../../domain/RelayGas.ts"
import { SweepContracts } from "../../ports/orchestrator/SweepContracts.ts"
import type { ChainClient, ChainUnavailable, SimulatedCall } from "../../ports/shared/Chains.ts"
import { type Candidate, later, type Prepared, type Signed, unfit } from "./Prepared.ts"

/** Makes `attempt(client, lane, candidates)`, which simulates all candidates in one call, in their order. */
export const make = Effect.gen(function* () {
  const contracts = yield* SweepContracts

  const simulate = (client: ChainClient, lane: Address.Address, candidates: ReadonlyArray<Candidate>) => {
    const code = designator(client.chain.contracts.delegate)
    const undelegated = candidates.filter(({ authorization }) => authorization !== undefined)
    // More than one go through the entry. Of one the lane is the sender, but a lane has no code that could make the call, and
    // the account does not look at its caller.
    const sender = candidates.length === 1 ? {} : { from: client.chain.contracts.entry }
    return client.simulate(
      candidates.map(({ data, intent }) => ({
        ...sender,
        to: intent.order.owner,
        data,
        gas: simulationGasLimit(intent.gas)
      })),
      { origin: lane, codeOverrides: undelegated.map(({ intent }) => ({ address: intent.order.owner, code })) }
    )
  }

  const explain = Effect.fnUntraced(function* (
    client: ChainClient,
    intent: Signed,
    returnData: Hex
  ): Effect.fn.Return<Prepared, ChainUnavailable> {
    const { order } = intent
    const revert = contracts.decodeRevert(returnData)
    if (revert.name === "NonceUsed" || revert.name === "Expired") {
      return { _tag: "Unfit", intent, cause: { _tag: "Unsent" }, text: revert.text }
    }
    const balance = yield* contracts.balanceOf(client, order.tokenIn, order.owner)
    return unfit(intent, balance < order.amountIn ? "insufficient_balance" : "simulation_failed", revert.text)
  })

  /** Simulates a sweep that failed behind others alone, so that it does not fail for good because of another sweep. */
  const retryAlone = Effect.fnUntraced(function* (
    client: ChainClient,
    lane: Address.Address,
    candidate: Candidate,
    seen: SimulatedCall | undefined,
    isAlone: boolean
  ): Effect.fn.Return<Prepared, ChainUnavailable> {
    const { intent } = candidate
    const alone = isAlone ? seen : (yield* simulate(client, lane, [candidate]))[0]
    return alone !== undefined && settles(alone)
      ? later(intent, "it would fail behind the others of its batch")
      : yield* explain(client, intent, alone?.returnData ?? "0x")
  })

  return Effect.fnUntraced(function* (
    client: ChainClient,
    lane: Address.Address,
    candidates: ReadonlyArray<Candidate>
  ): Effect.fn.Return<ReadonlyArray<Prepared>, ChainUnavailable> {
    if (candidates.length === 0) return []
    const simulated = yield* simulate(client, lane, candidates)
    return yield* Effect.forEach(
      candidates,
      (candidate, index) => {
        const seen = simulated[index]
        return seen !== undefined && settles(seen)
          ? Effect.succeed<Prepared>({
              _tag: "Ready",
              ready: {
                ...candidate,
                gas: { simulated: simulatedAlone(seen.gasUsed, index), quoted: candidate.intent.gas }
              }
            })
          : retryAlone(client, lane, candidate, seen, candidates.length === 1)
      },
      { concurrency: "unbounded" }
    )
  })
})

/** An account without code accepts every call and does nothing, so success counts only with a returned amount. */
const settles = (call: SimulatedCall): boolean => call.success && size(call.returnData) === 32
