/** A signed-in builder's API keys and first steps, and the data that keys read. */
import { Effect, Redacted } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { BuilderApi } from "../../api/builder/BuilderApi.ts"
import { CurrentSession, KeyOwner } from "../../api/builder/Middleware.ts"
import { KeyDesk } from "../../builder/account/KeyDesk.ts"
import { publicView } from "../../domain/Builder.ts"
import { ApiKeys, type StoredApiKey } from "../../ports/builder/ApiKeys.ts"
import { FirstSteps } from "../../ports/builder/FirstSteps.ts"
import * as Failures from "./Failures.ts"
import * as OwnData from "./OwnData.ts"

const OK = { ok: true as const }

/** The view of a key without its id, name and scopes. */
export const defaultView = ({ createdAtMs, lastUsedAtMs, prefix }: StoredApiKey) => ({
  prefix,
  createdAtMs,
  ...(lastUsedAtMs === undefined ? {} : { lastUsedAtMs })
})

const view = (key: StoredApiKey) => ({ id: key.id, name: key.name, scopes: key.scopes, ...defaultView(key) })

export const keys = HttpApiBuilder.group(
  BuilderApi,
  "keys",
  Effect.fnUntraced(function* (handlers) {
    const desk = yield* KeyDesk
    const steps = yield* FirstSteps
    const stored = yield* ApiKeys
    const builderId = Effect.map(CurrentSession, (session) => session.builder.id)
    const actor = Effect.map(builderId, (id) => `builder:${id}`)
    return handlers
      .handle(
        "list",
        Effect.fn("GET /me/apikeys")(function* () {
          return { keys: (yield* stored.list(yield* builderId)).map(view) }
        }, Effect.catchTags(Failures.store))
      )
      .handle(
        "create",
        Effect.fn("POST /me/apikeys")(function* ({ payload }) {
          const { apiKey, key } = yield* desk.create(yield* builderId, payload, yield* actor)
          return { key: view(key), apiKey: Redacted.value(apiKey) }
        }, Effect.catchTags(Failures.newKey))
      )
      .handle(
        "revoke",
        Effect.fn("DELETE /me/apikeys/:id")(function* ({ params }) {
          yield* desk.revoke(yield* builderId, params.id, yield* actor)
          return OK
        }, Effect.catchTags(Failures.ownKey))
      )
      .handle(
        "milestones",
        Effect.fn("GET /me/milestones")(function* () {
          const id = yield* builderId
          const created = (yield* stored.list(id))
            .filter(({ scopes }) => scopes.includes("quote"))
            .map(({ createdAtMs }) => createdAtMs)
          return {
            ...(yield* steps.of(id)),
            ...(created.length === 0 ? {} : { keyCreatedAtMs: Math.min(...created) })
          }
        }, Effect.catchTags(Failures.store))
      )
  })
)

export const own = HttpApiBuilder.group(
  BuilderApi,
  "own",
  Effect.fnUntraced(function* (handlers) {
    const data = yield* OwnData.make
    const builderId = Effect.map(KeyOwner, ({ id }) => id)
    return handlers
      .handle(
        "builder",
        Effect.fn("GET /account")(() => Effect.map(KeyOwner, publicView))
      )
      .handle(
        "accruals",
        Effect.fn("GET /account/accruals")(function* () {
          return yield* data.accruals(yield* builderId)
        }, Effect.catchTags(Failures.store))
      )
      .handle(
        "activity",
        Effect.fn("GET /account/activity")(function* ({ query }) {
          return yield* data.activity(yield* builderId, query)
        }, Effect.catchTags(Failures.store))
      )
      .handle(
        "sweeps",
        Effect.fn("GET /account/sweeps")(function* ({ query }) {
          return yield* data.sweeps(yield* builderId, query)
        }, Effect.catchTags(Failures.store))
      )
      .handle(
        "sweep",
        Effect.fn("GET /account/sweeps/:id")(function* ({ params }) {
          return yield* data.sweep(yield* builderId, params.id)
        }, Effect.catchTags(Failures.store))
      )
  })
)
