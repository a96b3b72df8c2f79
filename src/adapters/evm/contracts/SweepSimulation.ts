/**
 * Simulates an order before its owner has signed it. A stand-in account with a random key receives the owner's tokens and signs
 * the same order. So the delegate, the guard, the venue and the tokens run their real code, and the gas is realistic. Nothing
 * leaves the simulation.
 */
import { Effect, Layer } from "effect"
import { decodeFunctionResult, encodeFunctionData, erc20Abi } from "viem"
import { generatePrivateKey, privateKeyToAccount } from "viem/accounts"
import * as Address from "../../../domain/Address.ts"
import { designator } from "../../../domain/Delegation.ts"
import type { Hex } from "../../../domain/Hex.ts"
import { type SweepOrder, typedData } from "../../../domain/SweepOrder.ts"
import { isNative } from "../../../domain/Token.ts"
import { Chains } from "../../../ports/shared/Chains.ts"
import { SweepContracts } from "../../../ports/orchestrator/SweepContracts.ts"
import { SimulationFailed, SweepSimulation } from "../../../ports/orchestrator/SweepSimulation.ts"
import { sweepDelegate } from "../abi/contracts.generated.ts"
import * as DataFee from "./DataFee.ts"

/** Intrinsic gas of one authorization (EIP-7702, PER_EMPTY_ACCOUNT_COST). */
const AUTHORIZATION_GAS = 25_000n

/** Enough for any sweep. Bounds the time that a hostile token can burn at a node. */
const GAS_CAP = 5_000_000n

/** Sender of the simulated transaction: any account except the stand-in. */
const SENDER = Address.of("0x000000000000000000000000000000000000dead")

/** `domainName` must be the name with which the delegates were deployed. */
export const layer = (options: { readonly domainName: string }) =>
  Layer.effect(
    SweepSimulation,
    Effect.gen(function* () {
      const chains = yield* Chains
      const contracts = yield* SweepContracts
      const account = privateKeyToAccount(generatePrivateKey())
      const standIn = Address.of(account.address)

      /** Moves the order's input from its owner to the stand-in. */
      const funding = (order: SweepOrder) =>
        isNative(order.tokenIn)
          ? { from: order.owner, to: standIn, data: "0x" as const, value: order.amountIn }
          : {
              from: order.owner,
              to: order.tokenIn,
              data: encodeFunctionData({ abi: erc20Abi, functionName: "transfer", args: [standIn, order.amountIn] })
            }

      const amountOut = (data: Hex) => decodeFunctionResult({ abi: sweepDelegate.abi, functionName: "execute", data })

      const run = Effect.fn("SweepSimulation.run")(function* (chainId: number, order: SweepOrder) {
        const client = yield* Effect.orDie(chains.get(chainId))
        const placed = { ...order, owner: standIn }
        const signature = yield* Effect.promise(() =>
          account.signTypedData(typedData(placed, { name: options.domainName, chainId }))
        )
        const data = contracts.encodeExecute(placed, signature)
        const [[funded, swept], charged] = yield* Effect.all(
          [
            client.simulate(
              [
                { ...funding(order), gas: GAS_CAP },
                { from: SENDER, to: standIn, data, gas: GAS_CAP }
              ],
              { codeOverrides: [{ address: standIn, code: designator(client.chain.contracts.delegate) }] }
            ),
            DataFee.estimate(client, order.owner, data)
          ],
          { concurrency: 2 }
        )
        if (funded?.success !== true) {
          return yield* new SimulationFailed({ detail: "the owner cannot transfer the amount" })
        }
        if (swept?.success !== true) {
          return yield* new SimulationFailed({ detail: contracts.decodeRevert(swept?.returnData ?? "0x").text })
        }
        return { ...charged, amountOut: amountOut(swept.returnData), gas: swept.gasUsed + AUTHORIZATION_GAS }
      })

      return SweepSimulation.of({ run })
    })
  )
