/** Sign-in nonces in memory, for tests. */
import { Clock, Effect, Layer } from "effect"
import { Nonces } from "../../../ports/builder/Nonces.ts"

const make = () => {
  const fresh = new Map<string, number>()
  const isFresh = (nonce: string) => Effect.map(Clock.currentTimeMillis, (now) => (fresh.get(nonce) ?? 0) > now)
  return Nonces.of({
    issue: (nonce, expiresAtMs) =>
      Effect.sync(() => {
        fresh.set(nonce, expiresAtMs)
      }),
    isFresh,
    consume: (nonce) => Effect.map(isFresh(nonce), (was) => fresh.delete(nonce) && was)
  })
}

export const layer = Layer.effect(Nonces, Effect.sync(make))
