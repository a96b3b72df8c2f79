/** Builders' API keys in memory, for tests. */
import { Clock, Effect, Layer, Option } from "effect"
import { ApiKeys, type StoredApiKey } from "../../../ports/builder/ApiKeys.ts"
import { Builders } from "../../../ports/builder/Builders.ts"

/** Milliseconds between two updates of a key's last use, as in the database adapter. */
const NOTED_EVERY_MILLIS = 60_000

const make = (builders: Builders["Service"]) => {
  const keys = new Map<string, StoredApiKey>()
  return ApiKeys.of({
    replace: (builderId, key) =>
      Effect.map(Clock.currentTimeMillis, (createdAtMs) => {
        keys.set(builderId, { ...key, createdAtMs })
      }),
    resolve: (hash) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        for (const [builderId, key] of keys) {
          if (key.hash !== hash) continue
          if ((key.lastUsedAtMs ?? 0) <= now - NOTED_EVERY_MILLIS) keys.set(builderId, { ...key, lastUsedAtMs: now })
          return builders.byId(builderId)
        }
        return Effect.succeedNone
      }),
    of: (builderId) => Effect.sync(() => Option.fromUndefinedOr(keys.get(builderId)))
  })
}

export const layer = Layer.effect(ApiKeys, Effect.map(Builders, make))
