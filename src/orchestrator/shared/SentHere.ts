/**
 * Relay transactions that this process has sent. Its watcher follows them at once, and those of other processes a moment later, so that
 * replicas do not do the same work twice. A restart forgets it, which only delays the first look at each.
 */
import { Context, Layer } from "effect"

/** Transactions that are kept. The oldest are forgotten first. */
const CAPACITY = 10_000

export class SentHere extends Context.Service<
  SentHere,
  {
    readonly note: (transactionId: string) => void
    readonly has: (transactionId: string) => boolean
    readonly forget: (transactionId: string) => void
  }
>()("sweep/orchestrator/SentHere") {
  static readonly layer = Layer.sync(SentHere, () => {
    const sent = new Set<string>()
    return {
      note: (id) => {
        sent.add(id)
        // A set iterates in insertion order.
        const [oldest] = sent
        if (sent.size > CAPACITY && oldest !== undefined) sent.delete(oldest)
      },
      has: (id) => sent.has(id),
      forget: (id) => {
        sent.delete(id)
      }
    }
  })
}
