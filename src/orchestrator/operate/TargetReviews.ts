/**
 * Raises an alert for a swap target that ends soon and has no successor on the guard's list. Only chains are reviewed whose entry
 * sets the end of a target.
 */
import { Clock, Effect, Layer } from "effect"
import { worksOn } from "../../domain/Role.ts"
import { type NamedTarget, NOTICE_MILLIS, withoutSuccessor } from "../../domain/SwapTarget.ts"
import { type ChainClient, Chains } from "../../ports/shared/Chains.ts"
import { SweepContracts } from "../../ports/orchestrator/SweepContracts.ts"
import * as Background from "../../runtime/Background.ts"
import { ProcessShare } from "../shared/ProcessShare.ts"
import { StandingAlerts } from "../shared/StandingAlerts.ts"

const PAUSE_MILLIS = 600_000

const keyOf = (chainId: number, { address }: NamedTarget): string => `target_expiring:${chainId}:${address}`

/** One review of a chain. Without an answer of its node, standing alerts stay. */
const review = Effect.fnUntraced(function* ({ chain, ...client }: ChainClient) {
  const alerts = yield* StandingAlerts
  const contracts = yield* SweepContracts
  const { targets = [] } = chain
  const listings = yield* contracts.targets(
    { chain, ...client },
    targets.map(({ address }) => address)
  )
  const due = withoutSuccessor(targets, listings, yield* Clock.currentTimeMillis)
  for (const target of targets) {
    const { address, expiresAt = "", kind, name } = target
    const key = keyOf(chain.id, target)
    if (!due.includes(target)) {
      yield* alerts.clear(key)
      continue
    }
    yield* alerts.raise({
      key,
      severity: "warning",
      kind: "target_expiring",
      message: `The ${kind} ${name} on ${chain.name} moves away from ${address} at ${expiresAt}, and no successor is active. Propose the new contract now: the guard's timelock must pass before sweeps may call it.`,
      details: { chainId: chain.id, target: address, name, kind, expiresAt, noticeDays: NOTICE_MILLIS / 86_400_000 }
    })
  }
})

/** Runs until the scope closes. */
export const layer = Layer.effectDiscard(
  Effect.gen(function* () {
    const { all } = yield* Chains
    const share = yield* ProcessShare
    for (const client of all) {
      const { id, name, targets = [] } = client.chain
      if (!worksOn(share, "watch", id)) continue
      if (!targets.some(({ expiresAt }) => expiresAt !== undefined)) continue
      const supervised = Background.supervisor("target review", { chain: name, chainId: id })
      const round = Effect.catchTag(review(client), "ChainUnavailable", (error) =>
        Effect.logDebug("targets.unread").pipe(Effect.annotateLogs({ detail: error.message }))
      )
      yield* Background.loop(supervised, { pauseMillis: PAUSE_MILLIS }, round)
    }
  })
).pipe(Layer.provide(StandingAlerts.layer))
