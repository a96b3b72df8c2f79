/** Puts sweeps that are ready into transactions: several go through the entry contract, one goes to its account directly. */
import { Effect } from "effect"
import type * as Address from "../../domain/Address.ts"
import { type Bounds, compose } from "../../domain/BatchComposition.ts"
import { size } from "../../domain/Hex.ts"
import {
  batchGasLimit,
  batchRoom,
  itemGas,
  itemGasLimit,
  sweepGasLimit,
  TRANSACTION_GAS_CAP
} from "../../domain/RelayGas.ts"
import type { Block, ChainClient, FeesPerGas } from "../../ports/shared/Chains.ts"
import { RelayTransactions } from "../../ports/orchestrator/RelayTransactions.ts"
import type { UnsignedTransaction } from "../../ports/shared/Transaction.ts"
import { SweepContracts } from "../../ports/orchestrator/SweepContracts.ts"
import { OrchestratorSettings } from "../shared/OrchestratorSettings.ts"
import * as RelayBroadcast from "./Broadcast.ts"
import type { Ready } from "./Preparation.ts"
import * as RelaySigning from "./Signing.ts"

/** Nodes take transactions of up to 128 KB; signatures, addresses and padding need the rest. */
const CALLDATA_BYTES = 64_000

/** What a batch may take of a block: others want to be in it as well, and a full transaction waits for an empty block. */
const BLOCK_SHARE = 2n

/** What is known of a chain and a lane when a batch is sent. */
export interface Conditions {
  readonly head: Block
  readonly fees: FeesPerGas
  readonly lane: Address.Address
  /** Wei. */
  readonly laneBalance: bigint
  /** The lane's transaction count in the newest block, not the pending one: a foreign pending transaction may never be mined. */
  readonly laneNonce: bigint
}

/** A transaction's content, with the intents that it carries. */
export interface Parcel {
  readonly intentIds: ReadonlyArray<string>
  readonly content: Omit<UnsignedTransaction, "nonce">
}

export const make = Effect.gen(function* () {
  const broadcast = yield* RelayBroadcast.make
  const contracts = yield* SweepContracts
  const settings = yield* OrchestratorSettings
  const signAttempt = yield* RelaySigning.make
  const transactions = yield* RelayTransactions

  const boundsOf = ({ fees, head, laneBalance }: Conditions): Bounds => {
    // Half of what the lane can pay for, since others of its transactions may be on their way.
    const affordable = laneBalance / (2n * fees.maxFeePerGas)
    const total = [head.gasLimit / BLOCK_SHARE, TRANSACTION_GAS_CAP, affordable].reduce((a, b) => (a < b ? a : b))
    return { items: settings.relayer.batch, gas: batchRoom(total), bytes: CALLDATA_BYTES }
  }

  const parcel = (client: ChainClient, { fees }: Conditions, ready: ReadonlyArray<Ready>): Parcel => {
    const authorizationList = ready.flatMap(({ authorization }) => (authorization === undefined ? [] : [authorization]))
    const common = {
      chainId: client.chain.id,
      maxFeePerGas: fees.maxFeePerGas,
      maxPriorityFeePerGas: fees.maxPriorityFeePerGas,
      authorizationList
    }
    const intentIds = ready.map(({ intent }) => intent.id)
    const [only, ...others] = ready
    if (only !== undefined && others.length === 0) {
      const gas = sweepGasLimit({ ...only.gas, authorizations: authorizationList.length })
      return { intentIds, content: { ...common, to: only.intent.order.owner, data: only.data, gas } }
    }
    const items = ready.map(({ data, gas, intent }) => ({
      account: intent.order.owner,
      gasLimit: itemGasLimit(gas),
      data
    }))
    return {
      intentIds,
      content: {
        ...common,
        to: client.chain.contracts.entry,
        data: contracts.encodeRun(items),
        gas: batchGasLimit(ready.map(gasOf))
      }
    }
  }

  const parcels = (client: ChainClient, conditions: Conditions, ready: ReadonlyArray<Ready>): ReadonlyArray<Parcel> =>
    compose(
      ready.map((each) => ({
        ready: each,
        account: each.intent.order.owner,
        gas: gasOf(each),
        bytes: size(each.data)
      })),
      boundsOf(conditions)
    ).map((batch) =>
      parcel(
        client,
        conditions,
        batch.map(({ ready }) => ready)
      )
    )

  /** Signs, stores, and only then broadcasts. */
  const send = Effect.fn("Relay.send")(function* (
    client: ChainClient,
    { lane, laneNonce }: Conditions,
    { content, intentIds }: Parcel
  ) {
    const transaction = yield* transactions.allocate({
      chainId: client.chain.id,
      lane,
      chainNonce: laneNonce,
      intentIds,
      reserve: content.gas * content.maxFeePerGas,
      sign: (nonce) => signAttempt(lane, { ...content, nonce })
    })
    for (const attempt of transaction.attempts) yield* broadcast(client, transaction, attempt)
  })

  return { parcels, send }
})

const gasOf = ({ authorization, gas }: Ready): bigint => itemGas(itemGasLimit(gas), authorization === undefined ? 0 : 1)
