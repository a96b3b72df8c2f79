/**
 * Notes the uses of API keys in the background, so that no quote waits for a write. A use that cannot be noted is lost, because
 * the times are for people only.
 */
import { Clock, Context, Effect, Layer, Queue } from "effect"
import { isUseDue } from "../../domain/ApiKey.ts"
import { ApiKeys, type StoredApiKey } from "../../ports/builder/ApiKeys.ts"
import { FirstSteps } from "../../ports/builder/FirstSteps.ts"

/** Maximum number of uses that wait. Further ones are dropped. */
const WAITING = 256

const NOTING_TIMEOUT = "5 seconds"

interface Use {
  readonly builderId: string
  readonly key: StoredApiKey
  /** True if it attributed a quote. */
  readonly isQuote: boolean
  readonly atMs: number
}

const nameOf = ({ isQuote, key }: Omit<Use, "atMs">): string => `${key.hash} ${isQuote}`

export class KeyUses extends Context.Service<
  KeyUses,
  {
    /** Has a use noted, at most once a minute for each key, and the first quote of each builder. Returns at once. */
    readonly note: (use: Omit<Use, "atMs">) => Effect.Effect<void>
  }
>()("sweep/builder/KeyUses") {
  static readonly layer = Layer.effect(
    KeyUses,
    Effect.gen(function* () {
      const keys = yield* ApiKeys
      const steps = yield* FirstSteps
      const uses = yield* Queue.dropping<Use>(WAITING)
      const waiting = new Set<string>()
      /** Builders whose first quote this process has noted. */
      const quoted = new Set<string>()

      const write = Effect.fn("KeyUses.write")(
        function* ({ atMs, builderId, isQuote, key }: Use) {
          if (isQuote && !quoted.has(builderId)) {
            yield* steps.noteQuote(builderId, atMs)
            quoted.add(builderId)
          }
          yield* keys.noteUse(key.hash, atMs)
        },
        Effect.timeout(NOTING_TIMEOUT),
        Effect.catchCause((cause) => Effect.logWarning("builder.key_use_lost", cause)),
        (effect, use) =>
          Effect.ensuring(
            effect,
            Effect.sync(() => waiting.delete(nameOf(use)))
          )
      )
      yield* Effect.forkScoped(Effect.forever(Effect.flatMap(Queue.take(uses), write)))

      const note: KeyUses["Service"]["note"] = Effect.fnUntraced(function* (use) {
        const atMs = yield* Clock.currentTimeMillis
        const isFirstQuote = use.isQuote && !quoted.has(use.builderId)
        if (waiting.has(nameOf(use)) || !(isFirstQuote || isUseDue(use.key.lastUsedAtMs, atMs))) return
        waiting.add(nameOf(use))
        if (!(yield* Queue.offer(uses, { ...use, atMs }))) waiting.delete(nameOf(use))
      })

      return KeyUses.of({ note })
    })
  )
}
