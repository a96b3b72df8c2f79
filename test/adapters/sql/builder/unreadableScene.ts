/** Steps of tests about webhook deliveries that cannot be read. */
import { Effect, Layer } from "effect"
import { UnreadableDeliveries } from "../../../../src/adapters/sql/builder/UnreadableDeliveries.ts"
import { Webhooks } from "../../../../src/ports/builder/Webhooks.ts"
import { Alerts } from "../../../../src/ports/shared/Alerts.ts"
import { freshStores } from "../../../support/BuilderStores.ts"

export const layer = UnreadableDeliveries.layer.pipe(Layer.provideMerge(freshStores))

/** Without the others, one delivery at a time is leased. */
export const claim = (perEndpoint: number) =>
  Effect.flatMap(Webhooks, (webhooks) =>
    Effect.map(
      webhooks.claim({ limit: 10, failingLimit: 10, perEndpoint, perBuilder: 10, leaseMillis: 60_000 }),
      (due) => due.map(({ message }) => message.id)
    )
  )

export const standing = Effect.flatMap(Alerts, ({ list }) =>
  Effect.map(list, (alerts) => alerts.map(({ kind }) => kind))
)

export const recheck = Effect.flatMap(UnreadableDeliveries, (unreadable) => unreadable.recheck)
