/** Content of the transaction that carries sweeps. Several go through the entry contract; one goes directly to its account. */
import { Effect } from "effect"
import type { GasFees } from "../../domain/FeeBump.ts"
import { batchGasLimit, type Carried, itemGas, sweepGasLimit } from "../../domain/RelayGas.ts"
import { SweepContracts } from "../../ports/orchestrator/SweepContracts.ts"
import type { ChainClient } from "../../ports/shared/Chains.ts"
import type { UnsignedTransaction } from "../../ports/shared/Transaction.ts"
import type { Ready } from "./Prepared.ts"

/** A transaction before its nonce is allocated. */
export type Content = Omit<UnsignedTransaction, "nonce">

const carried = ({ authorization, data, gas }: Ready): Carried => ({
  gasLimit: gas.limit,
  data,
  authorizations: authorization === undefined ? 0 : 1
})

/** Gas that a sweep adds to its batch. */
export const gasOf = (ready: Ready): bigint => itemGas(carried(ready))

/** Makes `contentOf(client, fees, ready)`. */
export const make = Effect.map(
  SweepContracts,
  (contracts) =>
    (client: ChainClient, fees: GasFees, ready: ReadonlyArray<Ready>): Content => {
      const authorizationList = ready.flatMap(({ authorization }) =>
        authorization === undefined ? [] : [authorization]
      )
      const common = {
        chainId: client.chain.id,
        maxFeePerGas: fees.maxFeePerGas,
        maxPriorityFeePerGas: fees.maxPriorityFeePerGas,
        authorizationList
      }
      const [only, ...others] = ready
      if (only !== undefined && others.length === 0) {
        return { ...common, to: only.intent.order.owner, data: only.data, gas: sweepGasLimit(carried(only)) }
      }
      const items = ready.map(({ data, gas, intent }) => ({
        account: intent.order.owner,
        gasLimit: gas.limit,
        data
      }))
      return {
        ...common,
        to: client.chain.contracts.entry,
        data: contracts.encodeRun(items),
        gas: batchGasLimit(ready.map(gasOf))
      }
    }
)
