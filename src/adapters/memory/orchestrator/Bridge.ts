/**
 * Bridge with a fixed fee, for tests. Its calldata encodes the deposit. Tests decide about deliveries through {@link
 * MemoryBridge}.
 */
import { Context, Effect, Layer, Option, Ref } from "effect"
import { decodeAbiParameters, encodeAbiParameters, parseAbiParameters } from "viem"
import * as Address from "../../../domain/Address.ts"
import { lessBps } from "../../../domain/Amount.ts"
import type { Hash, Hex } from "../../../domain/Hex.ts"
import type { RefundLine } from "../../../domain/BridgeRefund.ts"
import { BridgeRefunds } from "../../../ports/orchestrator/BridgeRefunds.ts"
import { Bridge, type BridgeDeposit, type Delivery } from "../../../ports/orchestrator/Bridge.ts"
import { NoRoute } from "../../../ports/orchestrator/SwapVenue.ts"

/** The test's handle on the bridge. */
export class MemoryBridge extends Context.Service<
  MemoryBridge,
  {
    /** Sets the delivery of the deposit in this settlement transaction. Default: pending. */
    readonly settle: (transactionHash: Hash, delivery: Delivery) => Effect.Effect<void>
    /** Pays a refund on this chain. */
    readonly refund: (chainId: number, line: RefundLine) => Effect.Effect<void>
  }
>()("sweep/adapters/memory/MemoryBridge") {}

export interface Options {
  readonly target: Address.Address
  readonly feeBps?: number
  readonly gas?: bigint
  readonly estimatedSeconds?: number
}

const CALLDATA = parseAbiParameters("address, uint256, address, uint256, uint256, address, address")

const encode = (deposit: BridgeDeposit): Hex =>
  encodeAbiParameters(CALLDATA, [
    deposit.tokenIn,
    deposit.amountIn,
    deposit.tokenOut,
    deposit.minAmountOut,
    deposit.destChainId,
    deposit.depositor,
    deposit.recipient
  ])

const decode = Option.liftThrowable((calldata: Hex): BridgeDeposit => {
  const [tokenIn, amountIn, tokenOut, minAmountOut, destChainId, depositor, recipient] = decodeAbiParameters(
    CALLDATA,
    calldata
  )
  return {
    tokenIn: Address.of(tokenIn),
    amountIn,
    tokenOut: Address.of(tokenOut),
    minAmountOut,
    destChainId,
    depositor: Address.of(depositor),
    recipient: Address.of(recipient)
  }
})

export const layer = ({ estimatedSeconds = 5, feeBps = 10, gas = 80_000n, target }: Options) =>
  Layer.effectContext(
    Effect.gen(function* () {
      const deliveries = yield* Ref.make<ReadonlyMap<Hash, Delivery>>(new Map())
      const refunds = yield* Ref.make<ReadonlyArray<readonly [number, RefundLine]>>([])

      const route: Bridge["Service"]["route"] = Effect.fnUntraced(function* ({
        amountIn,
        depositor,
        destChainId,
        recipient,
        tokenIn,
        tokenOut
      }) {
        const amountOut = lessBps(amountIn, feeBps)
        if (amountOut === 0n) return yield* new NoRoute({ detail: "the amount does not cover the fee" })
        const deposit = {
          tokenIn,
          amountIn,
          tokenOut,
          minAmountOut: amountOut,
          destChainId: BigInt(destChainId),
          depositor,
          recipient
        }
        return {
          provider: "memory",
          target,
          calldata: encode(deposit),
          amountOut,
          minAmountOut: amountOut,
          gas,
          passing: 0,
          estimatedSeconds
        }
      })

      const bridge = Bridge.of({
        route,
        prepare: (request) => Effect.succeed((amountIn) => route({ ...request, amountIn })),
        decode: Effect.fnUntraced(function* (_sourceChainId, to, calldata) {
          const deposit = Option.filter(decode(calldata), (read) => to === target && encode(read) === calldata)
          if (Option.isNone(deposit)) return yield* new NoRoute({ detail: "not a deposit" })
          return deposit.value
        }),
        delivery: ({ receipt }) =>
          Effect.map(
            Ref.get(deliveries),
            (settled): Delivery => settled.get(receipt.transactionHash) ?? { _tag: "Pending" }
          )
      })
      const memory = MemoryBridge.of({
        settle: (transactionHash, delivery) =>
          Ref.update(deliveries, (settled) => new Map(settled).set(transactionHash, delivery)),
        refund: (chainId, line) => Ref.update(refunds, (paid) => [...paid, [chainId, line] as const])
      })
      const bridgeRefunds = BridgeRefunds.of({
        firstBlock: () => Effect.succeed(0n),
        paid: (chainId, accounts, fromBlock) =>
          Effect.map(Ref.get(refunds), (all) => {
            const lines = all.flatMap(([id, line]) => (id === chainId && line.blockNumber >= fromBlock ? [line] : []))
            const last = lines.reduce((newest, { blockNumber }) => (blockNumber > newest ? blockNumber : newest), -1n)
            const nextBlock = last < fromBlock ? fromBlock : last + 1n
            return { lines: lines.filter(({ account }) => accounts.has(account)), nextBlock }
          })
      })
      return Context.make(Bridge, bridge).pipe(
        Context.add(MemoryBridge, memory),
        Context.add(BridgeRefunds, bridgeRefunds)
      )
    })
  )
