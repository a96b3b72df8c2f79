/**
 * First sweeps of owners: sweeps of listed tokens whose accounts are not delegated yet. Such an owner has paid for nothing so far,
 * so the losses of all of them together have a budget.
 */
import { Effect, Option } from "effect"
import type * as Address from "../../domain/Address.ts"
import type { Chain } from "../../domain/Chain.ts"
import { type ExposureClass, firstClass, limitOf } from "../../domain/Exposure.ts"
import type { ChainClient } from "../../ports/shared/Chains.ts"
import * as ChainLimits from "../shared/ChainLimits.ts"
import { ChainLosses } from "../shared/ChainLosses.ts"
import { OrchestratorSettings } from "../shared/OrchestratorSettings.ts"

/** Gas of the cheapest transaction that an owner can run ahead with. */
const TRANSFER_GAS = 21_000n

/**
 * Makes `classesOf(client, owners)`, the class of each owner's first sweep, and `roomsOn(chain)`, the wei that first sweeps may still
 * reserve by class, as of the last half second. Both are empty without a limit.
 */
export const make = Effect.gen(function* () {
  const losses = yield* ChainLosses
  const { relayer } = yield* OrchestratorSettings

  const isUnfunded = ({ balance }: ChainClient, owner: Address.Address, baseFeePerGas: bigint) =>
    Effect.map(
      Effect.option(balance(owner)),
      (known) => Option.isSome(known) && known.value < TRANSFER_GAS * baseFeePerGas
    )

  /** Asks the node for balances only while first sweeps have lost. */
  const classesOf = Effect.fnUntraced(function* (client: ChainClient, owners: ReadonlyArray<Address.Address>) {
    const { chain } = client
    const { firstHour } = ChainLimits.lossBudgets(relayer, chain)
    if (owners.length === 0 || firstHour === undefined) return new Map<Address.Address, ExposureClass>()
    const { any } = (yield* losses.of(chain)).first
    if (any.hour.lost === 0n) return new Map(owners.map((owner) => [owner, firstClass(chain.id, false)]))
    const { baseFeePerGas } = yield* client.feesPerGas
    const classes = yield* Effect.forEach(
      owners,
      (owner) =>
        Effect.map(isUnfunded(client, owner, baseFeePerGas), (is) => [owner, firstClass(chain.id, is)] as const),
      { concurrency: "unbounded" }
    )
    return new Map(classes)
  })

  const roomsOn = Effect.fnUntraced(function* (chain: Chain) {
    const budgets = ChainLimits.lossBudgets(relayer, chain)
    if (budgets.firstHour === undefined) return new Map<ExposureClass, bigint>()
    const { any, unfunded } = (yield* losses.of(chain)).first
    const known = [
      [firstClass(chain.id, false), any],
      [firstClass(chain.id, true), unfunded]
    ] as const
    return new Map(
      known.map(([key, sums]) => [key, limitOf(key, budgets, sums).hour - sums.open - sums.hour.lost] as const)
    )
  })

  return { classesOf, roomsOn }
})
