/** Conditions on deliveries of webhooks in memory. */
import type { Delivery, DeliveryFilter } from "../../../ports/builder/Webhooks.ts"

interface Conditions extends DeliveryFilter {
  readonly state?: Delivery["state"]
  readonly messageIds?: ReadonlyArray<string>
}

export const isListed = (
  { fromMs = 0, messageIds, state, toMs = Infinity, type }: Conditions,
  { createdAtMs, messageId, ...delivery }: Delivery
): boolean =>
  (state === undefined || delivery.state === state) &&
  (type === undefined || delivery.type === type) &&
  (messageIds === undefined || messageIds.includes(messageId)) &&
  createdAtMs >= fromMs &&
  createdAtMs < toMs
