/** A chain whose contracts were upgraded after a sweep was quoted, and sweeps on it. */
import { Effect } from "effect"
import { numberToHex } from "viem"
import type * as Address from "../../../src/domain/Address.ts"
import type { Chain, Deployment } from "../../../src/domain/Chain.ts"
import { bound } from "../../../src/domain/OrderNonce.ts"
import { address } from "../../support/FakeChain.ts"
import { type Intent, Intents } from "../../../src/ports/orchestrator/Intents.ts"
import { hash, submission } from "../../support/IntentFixtures.ts"
import { cancelledLog, offer, source } from "../../support/RelayFixtures.ts"
import { layerOnNodes, scene } from "../../support/RelayScene.ts"
import { relay, sentSweep } from "../../support/SentSweep.ts"

/** The relay scene's contracts are of the first generation here. */
export const first = source.contracts
export const second: Deployment = { delegate: address(0x71), guard: address(0x72), entry: address(0x73) }

const UNSPENT = numberToHex(0, { size: 32 })

/** Contracts of a chain whose current delegate asks the first guard. */
export const asking = { contracts: second, earlierContracts: [first], priorGuard: first.guard }

/** Nodes of the upgraded chain, and the delegates that simulations gave to accounts. */
export const upgraded = (
  delegates: Array<string>,
  contracts: Pick<Chain, "contracts" | "earlierContracts" | "priorGuard"> = asking
) =>
  layerOnNodes((client) => ({
    ...client,
    chain: { ...client.chain, ...contracts },
    code: (account) => (account === second.entry ? Effect.succeed("0xfe") : client.code(account)),
    // Nothing is spent at the second guard. The scene answers for the first.
    call: (request) => (request.to === second.guard ? Effect.succeed(UNSPENT) : client.call(request)),
    simulate: (calls, options) => {
      delegates.push(...(options?.codeOverrides ?? []).map(({ code }) => code))
      return client.simulate(calls, options)
    }
  }))

/** A sent sweep of the current contracts. */
export const current = sentSweep({
  order: { nonce: bound(second.guard, 7n) },
  submission: { address: second.delegate }
})

/** Nodes of the upgraded chain on which the guards of both generations have the same nonces. One look reads at most `width` blocks of logs. */
export const bothSpentOn = (width: bigint) =>
  layerOnNodes((client) => ({
    ...client,
    chain: { ...client.chain, ...asking },
    code: (account) => (account === second.entry ? Effect.succeed("0xfe") : client.code(account)),
    call: (request) => client.call(request.to === second.guard ? { ...request, to: first.guard } : request),
    logs: (filter) => {
      const next = filter.fromBlock + width
      if (filter.toBlock < next) return client.logs(filter)
      return Effect.map(client.logs({ ...filter, toBlock: next - 1n }), ({ logs }) => ({
        logs,
        unread: { fromBlock: next, toBlock: filter.toBlock }
      }))
    }
  }))

export const bothSpent = bothSpentOn(10_000n)

/** Nodes of the upgraded chain on which only the guard of the current contracts has spent nonces. */
export const ownSpent = layerOnNodes((client) => ({
  ...client,
  chain: { ...client.chain, ...asking },
  code: (account) => (account === second.entry ? Effect.succeed("0xfe") : client.code(account)),
  call: (request) => {
    if (request.to === first.guard) return Effect.succeed(UNSPENT)
    return client.call(request.to === second.guard ? { ...request, to: first.guard } : request)
  }
}))

/** A sweep of the current contracts that reverted, and whose nonce is spent at both guards. No log says by whom. */
export const spentAtBoth = Effect.gen(function* () {
  const the = yield* current
  the.state.spentNonces.add(the.order.order.nonce)
  yield* the.mineLane({ hash: the.attempt.hash, status: "reverted" })
  return the
})

export const cancelledAt = (guard: Address.Address, { order }: Pick<Intent, "order">) => ({
  ...cancelledLog(order),
  address: guard
})

/** A sent sweep of the current contracts that is the only leg of a batch. */
export const sentLeg = Effect.gen(function* () {
  const the = yield* scene
  const intents = yield* Intents
  const nonce = bound(second.guard, 7n)
  const { authorization, signature } = submission(source.id)
  yield* intents.create(offer({ id: "a", order: { nonce } }))
  const order = yield* intents.submit("a", {
    signature,
    authorization: { ...authorization, address: second.delegate, nonce: 0n },
    batch: { sweepId: "s", legHashes: [hash("leg")], leg: 0 }
  })
  yield* the.chain.onSimulate((calls) =>
    Effect.succeed(
      calls.map(() => ({ success: true, returnData: numberToHex(1, { size: 32 }), gasUsed: 150_000n, logs: [] }))
    )
  )
  yield* relay
  const [attempt] = (yield* the.pending).attempts
  if (attempt === undefined) return yield* Effect.die("no attempt")
  return { ...the, order, attempt }
})
