/**
 * Watches the operator's choices of RPC endpoints: tells of those that this process cannot read, and encrypts them anew when the key of
 * secrets was changed.
 */
import { Effect, Layer } from "effect"
import type { ChainId } from "../../domain/ChainId.ts"
import { Overrides } from "../../ports/shared/Overrides.ts"
import { Chains } from "../../ports/shared/Chains.ts"
import { SecretBox } from "../../ports/shared/SecretBox.ts"
import * as Background from "../../runtime/Background.ts"
import { KeptEndpoints, placeOf, sealedOf } from "../shared/KeptEndpoints.ts"
import { RenewedAlerts } from "../shared/RenewedAlerts.ts"
import { KeptOverrides } from "../../runtime/KeptOverrides.ts"

/** Pause between reviews, in milliseconds. */
const PAUSE_MILLIS = 10_000

const KIND = "endpoints_unreadable"

/** Makes one review. */
export const make = Effect.gen(function* () {
  const alerts = yield* RenewedAlerts
  const box = yield* SecretBox
  const chains = yield* Chains
  const overrides = yield* Overrides
  const { current } = yield* KeptOverrides
  const { unreadable } = yield* KeptEndpoints

  const tell = Effect.fnUntraced(function* (chainId: ChainId, name: string, isUnreadable: boolean) {
    const key = `${KIND}:${chainId}`
    if (!isUnreadable) return yield* alerts.end(key)
    yield* alerts.raise({
      key,
      severity: "critical",
      kind: KIND,
      message: `A replica cannot read the operator's choice of RPC endpoints of ${name}, and keeps those that it had. Set SECRETS_KEY or SECRETS_FORMER_KEY on every replica to the key that encrypted it, or clear the choice.`,
      details: { chainId }
    })
  })

  const reseal = Effect.fnUntraced(function* () {
    const { current: prefix } = box
    if (prefix === undefined) return
    for (const { chainId, override } of sealedOf(yield* current)) {
      if (override.value.startsWith(prefix) || (yield* unreadable).has(chainId)) continue
      const place = placeOf(chainId)
      // The choice was read a moment ago, so it can be read again.
      const to = yield* box.seal(yield* Effect.orDie(box.open(override.value, place)), place)
      const isStored = yield* overrides.restate({ name: override.name, from: override.value, to })
      if (isStored) yield* Effect.annotateLogs(Effect.logInfo("endpoints.encrypted_anew"), { chainId })
    }
  })

  return Effect.gen(function* () {
    const cannotBeRead = yield* unreadable
    for (const { chain } of chains.all) yield* tell(chain.id, chain.name, cannotBeRead.has(chain.id))
    yield* reseal()
  })
})

/** Runs until the scope closes. */
export const layer = Layer.effectDiscard(
  Effect.flatMap(make, (review) =>
    Background.loop(Background.supervisor("endpoint_review"), { pauseMillis: PAUSE_MILLIS }, review)
  )
).pipe(Layer.provide(RenewedAlerts.layerOnDemand))
