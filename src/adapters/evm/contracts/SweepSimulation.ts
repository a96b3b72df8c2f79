/**
 * Simulates an order before its owner has signed it, as the owner's account on the latest state. The account runs the delegate, and the
 * delegate has the code of `contracts/src/simulation/UnsignedSweepDelegate.sol`, which differs only in that it accepts every
 * signature. So the guard, the venue, the tokens and the owner's own balances, allowances and nonces are what the sweep will
 * meet, and so is its gas. Nothing leaves the simulation.
 */
import { Effect, Layer } from "effect"
import { decodeFunctionResult } from "viem"
import { erc20 } from "../../../domain/Chain.ts"
import { designator } from "../../../domain/Delegation.ts"
import { type Hex, size } from "../../../domain/Hex.ts"
import { entryGas, executionLimit, sweepGasLimit } from "../../../domain/RelayGas.ts"
import { operatorFee } from "../../../domain/RollupFee.ts"
import { sweepRefund } from "../../../domain/SweepRefund.ts"
import type { SweepOrder } from "../../../domain/SweepOrder.ts"
import { isNative } from "../../../domain/Token.ts"
import * as TransactionGas from "../../../domain/TransactionGas.ts"
import { type ChainClient, Chains } from "../../../ports/shared/Chains.ts"
import { SweepContracts } from "../../../ports/orchestrator/SweepContracts.ts"
import { SimulationFailed, SweepSimulation } from "../../../ports/orchestrator/SweepSimulation.ts"
import { sweepDelegate } from "../abi/contracts.generated.ts"
import * as DataFee from "./DataFee.ts"
import * as OrderRehearsal from "./OrderRehearsal.ts"

/** As long as a signature that the relayer sends (EIP-2098), without zero bytes, and of no key. */
const PLACEHOLDER: Hex = `0x${"5e".repeat(64)}`

const amountOut = (data: Hex) => decodeFunctionResult({ abi: sweepDelegate.abi, functionName: "execute", data })

export const layer = Layer.effect(
  SweepSimulation,
  Effect.gen(function* () {
    const chains = yield* Chains
    const contracts = yield* SweepContracts
    const rehearse = yield* OrderRehearsal.make

    /** The owner's code and number of transactions. By calls that share a request with those of other simulations. */
    const accountOf = ({ code, transactionCount }: ChainClient, { owner }: SweepOrder) =>
      Effect.all({ code: code(owner), pendingCount: transactionCount(owner, "pending") }, { concurrency: "unbounded" })

    /** The owner's balances of native currency, of the input, and of the token that the sweep spends for it. */
    const holdings = Effect.fnUntraced(function* (client: ChainClient, { owner, tokenIn }: SweepOrder) {
      const token = erc20(client.chain, tokenIn)
      const [native, spent] = yield* Effect.all([client.balance(owner), contracts.balanceOf(client, token, owner)], {
        concurrency: "unbounded"
      })
      return { native, input: isNative(tokenIn) ? native : spent, spent }
    })

    const run: SweepSimulation["Service"]["run"] = Effect.fn("SweepSimulation.run")(function* (
      chainId,
      order,
      { block, isPlain = false, passing = 0 } = {}
    ) {
      const client = yield* Effect.orDie(chains.get(chainId))
      const data = contracts.encodeExecute(order, PLACEHOLDER)
      const [swept, held, account, charged] = yield* Effect.all(
        [
          rehearse({ client, owner: order.owner, data, block, plain: isPlain ? order.destination : undefined }),
          holdings(client, order),
          accountOf(client, order),
          DataFee.estimate(client, order.owner, data)
        ],
        { concurrency: "unbounded" }
      )
      if (held.input < order.amountIn) {
        return yield* new SimulationFailed({ detail: "the owner cannot transfer the amount" })
      }
      if (!swept.success) {
        const { name, text } = contracts.decodeRevert(swept.returnData)
        return yield* new SimulationFailed({ detail: text, revert: name })
      }
      const isDelegated = account.code === designator(client.chain.contracts.delegate)
      // An account that is not empty (EIP-161).
      const exists = held.native > 0n || account.code !== "0x" || account.pendingCount > 0n
      const gas = TransactionGas.charged({
        data,
        execution: swept.gasUsed + (isDelegated ? 0n : entryGas(size(data))),
        authorizations: isDelegated ? 0 : 1,
        refund:
          sweepRefund({
            amountIn: order.amountIn,
            isBridged: order.destChainId !== BigInt(client.chain.id),
            isNative: isNative(order.tokenIn),
            passing,
            spendable: held.spent
          }) + (exists && !isDelegated ? TransactionGas.EXISTING_ACCOUNT_REFUND : 0n)
      })
      const execution = swept.gasLimit ?? executionLimit(swept.gasUsed)
      const transaction = sweepGasLimit({ gasLimit: execution, data, authorizations: isDelegated ? 0 : 1 })
      const { dataGas, fee } = charged
      return {
        amountOut: amountOut(swept.returnData),
        gas,
        dataGas,
        dataFee: fee.data + operatorFee(fee, gas),
        limits: { execution, transaction }
      }
    })

    return SweepSimulation.of({ run })
  })
)
