/** Sweeps of a whole wallet: legs of one batch, of which the simulation runs each as its test wants. */
import { Effect } from "effect"
import { decodeFunctionData, numberToHex } from "viem"
import { sweepDelegate, sweepEntry } from "../../../src/adapters/evm/abi/contracts.generated.ts"
import * as Address from "../../../src/domain/Address.ts"
import type { Hex } from "../../../src/domain/Hex.ts"
import { parse } from "../../../src/orchestrator/relay/Envelope.ts"
import { Intents } from "../../../src/ports/orchestrator/Intents.ts"
import { address } from "../../support/FakeChain.ts"
import { hash, submission } from "../../support/IntentFixtures.ts"
import { offer, source, type Sweep } from "../../support/RelayFixtures.ts"
import { scene } from "../../support/RelayScene.ts"

export const SIGNATURE = `0x${"ab".repeat(64)}` as const

const { authorization } = submission(source.id)
export const AUTHORIZATION = { ...authorization, address: source.contracts.delegate, nonce: 0n }

/** Call of an account that runs orders. `first`: leg of the first one. Absent for an order that is signed alone. */
export interface Call {
  readonly account: Address.Address
  readonly nonces: ReadonlyArray<bigint>
  readonly first?: bigint
}

const callOf = (account: Address.Address, data: Hex): Call => {
  const call = decodeFunctionData({ abi: sweepDelegate.abi, data })
  if (call.functionName === "execute") return { account, nonces: [call.args[0].nonce] }
  if (call.functionName !== "executeBatch") throw new TypeError(`${call.functionName} runs no orders`)
  return { account, nonces: call.args[0].map(({ nonce }) => nonce), first: call.args[3] }
}

/** Calls of a signed transaction. */
export const callsIn = (raw: Hex): ReadonlyArray<Call> => {
  const { data, to } = parse(raw)
  if (to !== source.contracts.entry) return [callOf(to, data)]
  const [items] = decodeFunctionData({ abi: sweepEntry.abi, data }).args ?? []
  return (items ?? []).map((item) => callOf(Address.of(item.account), item.data))
}

export interface WalletLeg extends Sweep {
  /** Chain of the leg. Default: the source chain. */
  readonly chainId?: number
}

/**
 * Submits a sweep with these legs. Its orders have the nonces 100, 101, … in signing order. `failing`: nonces of orders that fail when
 * they are simulated.
 */
export const wallet = Effect.fnUntraced(function* (
  legs: ReadonlyArray<WalletLeg>,
  {
    id = "sweep",
    isAuthorized = true,
    owner = 1
  }: { readonly id?: string; readonly isAuthorized?: boolean; readonly owner?: number } = {}
) {
  const the = yield* scene
  const intents = yield* Intents
  const failing = new Set<bigint>()
  yield* the.chain.onSimulate((calls) =>
    Effect.succeed(
      calls.map(({ data, to }) => {
        const { first, nonces } = callOf(Address.of(to), data)
        const isFailing = nonces.some((nonce) => failing.has(nonce))
        const returnData = numberToHex(isFailing ? 0n : 1n, { size: 32 })
        return { success: first !== undefined || !isFailing, returnData, gasUsed: 150_000n, logs: [] }
      })
    )
  )
  for (const [index, { chainId = source.id, order, ...leg }] of legs.entries()) {
    const intent = offer({ ...leg, owner, order: { nonce: BigInt(100 + index), ...order } })
    yield* intents.create({ ...intent, quote: { ...intent.quote, sourceChainId: chainId } })
  }
  yield* intents.submitSweep({
    id,
    owner: address(owner),
    signature: SIGNATURE,
    legs: legs.map(({ id }) => ({
      intentId: id,
      legHash: hash(id),
      ...(isAuthorized ? { authorization: AUTHORIZATION } : {})
    }))
  })
  return { ...the, failing, calls: Effect.map(the.sent, (all) => all.map(({ raw }) => callsIn(raw))) }
})
