/** Randomness of the runtime's Web Crypto. */
import { Effect, Layer } from "effect"
import { SecureRandom } from "../../ports/SecureRandom.ts"

export const layer = Layer.succeed(SecureRandom, {
  bytes: (count) => Effect.sync(() => crypto.getRandomValues(new Uint8Array(count))),
  uuid: Effect.sync(() => crypto.randomUUID())
})
