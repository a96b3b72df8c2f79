/** Packs ready sweeps into transactions and sends them. Several sweeps go through the entry contract; one goes directly to its account. */
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
import * as Broadcast from "./Broadcast.ts"
import type { Ready } from "./Prepared.ts"
import * as Signing from "./Signing.ts"

/** Calldata of a batch's items, in bytes. Nodes accept transactions of up to 128 KB; signatures, addresses and padding need the rest. */
const CALLDATA_BYTES = 64_000

/** A batch uses at most 1/2 of a block's gas limit. A larger one waits longer, since it fits only into emptier blocks. */
const BLOCK_SHARE = 2n

/** State of a chain and a lane when a batch is sent. */
export interface Conditions {
  readonly head: Block
  readonly fees: FeesPerGas
  readonly lane: Address.Address
  /** Balance in wei. */
  readonly laneBalance: bigint
  /** The lane's transaction count in the newest block. The pending count is not used: a foreign pending transaction may never be mined. */
  readonly laneNonce: bigint
}

/** Content of a transaction, with the intents that it carries. */
export interface Parcel {
  readonly intentIds: ReadonlyArray<string>
  readonly content: Omit<UnsignedTransaction, "nonce">
}

/** Makes `parcels`, which packs ready sweeps, and `send`, which sends a parcel. */
export const make = Effect.gen(function* () {
  const broadcast = yield* Broadcast.make
  const contracts = yield* SweepContracts
  const settings = yield* OrchestratorSettings
  const signAttempt = yield* Signing.make
  const transactions = yield* RelayTransactions

  const boundsOf = ({ fees, head, laneBalance }: Conditions): Bounds => {
    // Half of what the lane can pay for, since other transactions of the lane may be pending.
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
      const gas = sweepGasLimit({ ...only.gas, data: only.data, authorizations: authorizationList.length })
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

  /** Signs and stores the transaction, then broadcasts it. A crash in between loses nothing. */
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
