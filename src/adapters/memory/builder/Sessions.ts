/** Builders' sessions in memory, for tests. */
import { Clock, Effect, Layer } from "effect"
import { Builders } from "../../../ports/builder/Builders.ts"
import { Sessions } from "../../../ports/builder/Sessions.ts"

const make = (builders: Builders["Service"]) => {
  const standing = new Map<string, { readonly builderId: string; readonly expiresAtMs: number }>()
  return Sessions.of({
    create: ({ builderId, expiresAtMs, tokenHash }) =>
      Effect.sync(() => {
        standing.set(tokenHash, { builderId, expiresAtMs })
      }),
    find: (tokenHash) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const session = standing.get(tokenHash)
        return session !== undefined && session.expiresAtMs > now
          ? builders.byId(session.builderId)
          : Effect.succeedNone
      }),
    end: (tokenHash) =>
      Effect.sync(() => {
        standing.delete(tokenHash)
      }),
    endAll: (builderId) =>
      Effect.sync(() => {
        for (const [tokenHash, session] of standing) if (session.builderId === builderId) standing.delete(tokenHash)
      })
  })
}

export const layer = Layer.effect(Sessions, Effect.map(Builders, make))
