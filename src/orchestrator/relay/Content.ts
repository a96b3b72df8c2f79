/**
 * Content of the transaction that carries sweeps. Several calls go through the entry contract, and one whose account is checked. Another
 * one goes directly to its account.
 */
import { Effect } from "effect"
import type * as Address from "../../domain/Address.ts"
import type { Chain } from "../../domain/Chain.ts"
import type { GasFees } from "../../domain/FeeBump.ts"
import * as Generations from "../../domain/Generations.ts"
import { size } from "../../domain/Hex.ts"
import { batchGasLimit, type Carried, executionGas, itemGas, legGas, sweepGasLimit } from "../../domain/RelayGas.ts"
import * as SweepGroups from "../../domain/SweepGroups.ts"
import { type RunItem, SweepContracts } from "../../ports/orchestrator/SweepContracts.ts"
import type { Intent } from "../../ports/orchestrator/Intents.ts"
import type { ChainClient } from "../../ports/shared/Chains.ts"
import type { UnsignedTransaction } from "../../ports/shared/Transaction.ts"
import * as AccountCall from "./AccountCall.ts"
import { authorizationOf, type Candidate, intentsOf, ownerOf, placeOf } from "./Prepared.ts"

/** A transaction before its nonce is allocated. */
export type Content = Omit<UnsignedTransaction, "nonce">

/** A sweep of a transaction. */
export interface Member extends Pick<Candidate, "authorization" | "callGas" | "data" | "isChecked"> {
  readonly intent: Intent
}

/** A call of an account. */
interface Call extends RunItem, Carried {}

/** Gas that a sweep adds to its transaction in a call of its own, without the gas that the chain takes for data before any instruction. */
export const executedGasOf = ({ authorization, callGas, data }: Member): bigint =>
  itemGas({ gasLimit: callGas, data, authorizations: authorization === undefined ? 0 : 1 })

/** Gas that a sweep adds to its transaction in a call of its own. */
export const gasOf = (member: Member): bigint => executedGasOf(member) + (member.intent.dataGas ?? 0n)

/** Gas and bytes of calldata. */
interface Size {
  readonly gas: bigint
  readonly bytes: number
}

/** Size of each sweep of a group at most, such that those of any first ones add up to the size of their calls. */
export const sizesOf = <A extends Member>(group: SweepGroups.Group<A>): ReadonlyArray<Size & { readonly sweep: A }> =>
  SweepGroups.calls(group, placeOf).flatMap(([first, ...others]) => [
    { sweep: first, gas: gasOf(first), bytes: size(first.data) },
    ...others.map((sweep) => {
      const bytes = AccountCall.legBytes(sweep.intent)
      const { dataGas = 0n } = sweep.intent
      return { sweep, gas: legGas(executionGas(sweep.intent), bytes) + dataGas, bytes }
    })
  ])

/** Calls of an account. Its authorization counts for the first one. */
const callsOf = (contracts: SweepContracts["Service"], group: SweepGroups.Group<Member>): ReadonlyArray<Call> =>
  SweepGroups.calls(group, placeOf).map((sweeps, index) => {
    const [{ callGas, data }, ...others] = sweeps
    const isAlone = others.length === 0
    return {
      account: ownerOf(group),
      gasLimit: isAlone ? callGas : AccountCall.gasOf(intentsOf(sweeps)),
      data: isAlone ? data : AccountCall.dataOf(contracts, intentsOf(sweeps)),
      authorizations: index === 0 && authorizationOf(group) !== undefined ? 1 : 0
    }
  })

/**
 * Entry of a sweep. An entry skips accounts of other delegates than its own, except that of the first generation, which checks no code.
 * So a transaction carries sweeps of one entry.
 */
export const entryOf = (chain: Chain, { intent }: Pick<Member, "intent">): Address.Address =>
  Generations.ofNonce(chain, intent.order.nonce).entry

/**
 * True if the entry can check the account of a sweep that goes alone. The first generation's checks nothing, and on Arbitrum the limit of a
 * sweep that the release before quoted has the gas for data in it, which the entry cannot assure.
 */
export const isCheckable = (chain: Chain, { intent }: Pick<Member, "intent">): boolean =>
  entryOf(chain, { intent }) === chain.contracts.entry && (chain.dataFee !== "arbitrum" || intent.dataGas !== undefined)

/**
 * Makes `contentOf(client, fees, sweeps, entry)`. Sweeps of one account run in their order (domain/SweepGroups). `entry`: that of an earlier
 * version of the transaction. Default: the entry of the sweeps.
 */
export const make = Effect.map(
  SweepContracts,
  (contracts) =>
    (client: ChainClient, fees: GasFees, sweeps: ReadonlyArray<Member>, entry?: Address.Address): Content => {
      const groups = SweepGroups.grouped(sweeps, placeOf)
      const calls = groups.flatMap((group) => callsOf(contracts, group))
      const common = {
        chainId: client.chain.id,
        maxFeePerGas: fees.maxFeePerGas,
        maxPriorityFeePerGas: fees.maxPriorityFeePerGas,
        authorizationList: groups.flatMap((group) => authorizationOf(group) ?? [])
      }
      // The chain takes it before the first instruction, so no limit of a call may count on it.
      const dataGas = sweeps.reduce((sum, { intent }) => sum + (intent.dataGas ?? 0n), 0n)
      const [only, ...others] = calls
      const [first] = sweeps
      if (only !== undefined && others.length === 0 && !sweeps.some(({ isChecked }) => isChecked)) {
        return { ...common, to: only.account, data: only.data, gas: sweepGasLimit(only) + dataGas }
      }
      return {
        ...common,
        to: entry ?? (first === undefined ? client.chain.contracts.entry : entryOf(client.chain, first)),
        data: contracts.encodeRun(calls.map(({ account, data, gasLimit }) => ({ account, gasLimit, data }))),
        gas: batchGasLimit(calls.map(itemGas)) + dataGas
      }
    }
)
