/** Sign-in nonces in memory, for tests. */
import { Clock, Effect, Layer } from "effect"
import type { Hash } from "../../../domain/Hex.ts"
import { Nonces } from "../../../ports/builder/Nonces.ts"

interface Issued {
  readonly expiresAtMs: number
  readonly keptFor?: Hash
}

const make = () => {
  const issued = new Map<string, Issued>()
  const isFresh = (nonce: string, message?: Hash) =>
    Effect.map(Clock.currentTimeMillis, (now) => {
      const found = issued.get(nonce)
      if (found === undefined || found.expiresAtMs <= now) return false
      return found.keptFor === undefined || found.keptFor === message
    })
  return Nonces.of({
    issue: (nonce, expiresAtMs) =>
      Effect.sync(() => {
        issued.set(nonce, { expiresAtMs })
      }),
    isFresh,
    consume: (nonce, message) => Effect.map(isFresh(nonce, message), (was) => was && issued.delete(nonce)),
    keepFor: (nonce, message) =>
      Effect.map(isFresh(nonce), (was) => {
        const found = issued.get(nonce)
        if (was && found !== undefined) issued.set(nonce, { ...found, keptFor: message })
        return was
      })
  })
}

export const layer = Layer.effect(Nonces, Effect.sync(make))
