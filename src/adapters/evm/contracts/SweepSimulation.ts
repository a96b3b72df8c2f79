/**
 * Runs an unsigned order for real: a stand-in account, whose key this process made up, gets the owner's tokens and signs the
 * same order in the owner's place. So the delegate, the guard with its allow-list, the venue and the tokens all run as they
 * will, and the gas is theirs, before the owner has signed anything. Nothing of it leaves the simulation.
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

/** What an authorization adds to a transaction's intrinsic gas (EIP-7702, PER_EMPTY_ACCOUNT_COST). */
const AUTHORIZATION_GAS = 25_000n

/** Enough for any sweep, and a bound on what a hostile token can burn of a node's time. */
const GAS_CAP = 5_000_000n

/** Sends the simulated transaction; any account that is not the stand-in would do. */
const SENDER = Address.of("0x000000000000000000000000000000000000dead")

/** `domainName` must be the one that the delegates were deployed with. */
export const layer = (options: { readonly domainName: string }) =>
  Layer.effect(
    SweepSimulation,
    Effect.gen(function* () {
      const chains = yield* Chains
      const contracts = yield* SweepContracts
      const account = privateKeyToAccount(generatePrivateKey())
      const standIn = Address.of(account.address)

      /** Moves what the order pulls from its owner to the stand-in. */
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
