/** Sign-in, self-signup, the account of a signed-in builder, and the routes of load balancers. */
import { Clock, Deferred, Effect, Option, Redacted } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { BuilderApi } from "../../api/builder/BuilderApi.ts"
import { periodOf } from "../../api/shared/MoneyQuery.ts"
import { NoBuilder, NotReady, Unattributed } from "../../api/builder/Errors.ts"
import { CurrentSession } from "../../api/builder/Middleware.ts"
import { NotFound } from "../../api/shared/Errors.ts"
import { Accounts } from "../../builder/account/Accounts.ts"
import { SignIn } from "../../builder/account/SignIn.ts"
import { Readiness } from "../../builder/shared/Readiness.ts"
import { publicView } from "../../domain/Builder.ts"
import { viewOf } from "../../domain/Earnings.ts"
import { startOfDay } from "../../domain/Sweep.ts"
import { ApiKeys } from "../../ports/builder/ApiKeys.ts"
import { Ledger } from "../../ports/builder/Ledger.ts"
import { ByOperator } from "../shared/RateLimiting.ts"
import { Stopping } from "../shared/Stopping.ts"
import * as Failures from "./Failures.ts"
import * as KeyHandlers from "./KeyHandlers.ts"
import * as OwnData from "./OwnData.ts"
import * as SessionCookie from "./SessionCookie.ts"

const OK = { ok: true as const }

export const auth = HttpApiBuilder.group(
  BuilderApi,
  "auth",
  Effect.fnUntraced(function* (handlers) {
    const signIn = yield* SignIn
    const cookie = yield* SessionCookie.make
    return handlers
      .handle(
        "nonce",
        Effect.fn("GET /auth/nonce")(function* () {
          return { nonce: yield* signIn.issueNonce }
        }, Effect.catchTags(Failures.store))
      )
      .handle(
        "verify",
        Effect.fn("POST /auth/verify")(
          function* ({ payload }) {
            const { builder, session } = yield* signIn.signIn(payload, yield* SessionCookie.given)
            yield* cookie.set(session)
            const { createdAtMs: _, ...view } = publicView(builder)
            return { builder: view }
          },
          Effect.catchTags({ ...Failures.signIn, NoBuilder: () => Effect.fail(new NoBuilder()) })
        )
      )
      .handle(
        "logout",
        Effect.fn("POST /auth/logout")(function* () {
          const session = yield* SessionCookie.given
          if (Option.isSome(session)) yield* signIn.signOut(session.value)
          yield* cookie.clear
          return OK
        }, Effect.catchTags(Failures.store))
      )
  })
)

export const signup = HttpApiBuilder.group(
  BuilderApi,
  "signup",
  Effect.fnUntraced(function* (handlers) {
    const accounts = yield* Accounts
    const signIn = yield* SignIn
    const cookie = yield* SessionCookie.make
    return handlers.handle(
      "signUp",
      Effect.fn("POST /builders/self")(
        function* ({ payload }) {
          const wallet = yield* signIn.authenticate(payload)
          const { apiKey, builder } = yield* accounts.signUp(wallet, payload.name)
          yield* cookie.set(yield* signIn.openSession(builder.id, yield* SessionCookie.given))
          return { builder: publicView(builder), apiKey: Redacted.value(apiKey) }
        },
        Effect.catchTags({ ...Failures.signIn, ...Failures.registered })
      )
    )
  })
)

export const me = HttpApiBuilder.group(
  BuilderApi,
  "me",
  Effect.fnUntraced(function* (handlers) {
    const accounts = yield* Accounts
    const keys = yield* ApiKeys
    const ledger = yield* Ledger
    const data = yield* OwnData.make
    const builder = Effect.map(CurrentSession, (session) => session.builder)
    return handlers
      .handle(
        "me",
        Effect.fn("GET /me")(() => Effect.map(builder, publicView))
      )
      .handle(
        "accruals",
        Effect.fn("GET /me/accruals")(function* () {
          return yield* data.accruals((yield* builder).id)
        }, Effect.catchTags(Failures.store))
      )
      .handle(
        "activity",
        Effect.fn("GET /me/activity")(function* ({ query }) {
          return yield* data.activity((yield* builder).id, query)
        }, Effect.catchTags(Failures.store))
      )
      .handle(
        "money",
        Effect.fn("GET /me/money")(function* ({ query }) {
          const { id } = yield* builder
          const toMs = yield* Clock.currentTimeMillis
          const days = periodOf(query)
          const fromMs = startOfDay(toMs, days - 1)
          const [earned, totals] = yield* Effect.all([ledger.earnings(id, { fromMs, toMs }), ledger.totals(id)], {
            concurrency: "unbounded"
          })
          return viewOf(days, fromMs, earned, totals)
        }, Effect.catchTags(Failures.store))
      )
      .handle(
        "apiKey",
        Effect.fn("GET /me/apikey")(function* () {
          const key = yield* keys.of((yield* builder).id)
          if (Option.isNone(key)) return yield* new NotFound()
          return KeyHandlers.defaultView(key.value)
        }, Effect.catchTags(Failures.store))
      )
      .handle(
        "rotateApiKey",
        Effect.fn("POST /me/apikey/rotate")(
          function* () {
            const { id } = yield* builder
            return { apiKey: Redacted.value(yield* accounts.rotateKey(id, `builder:${id}`)) }
          },
          // Builders are never removed.
          Effect.catchTags({ BuilderNotFound: Effect.die, ...Failures.ownChange })
        )
      )
  })
)

export const attribution = HttpApiBuilder.group(
  BuilderApi,
  "attribution",
  Effect.fnUntraced(function* (handlers) {
    const accounts = yield* Accounts
    return handlers.handle(
      "attribute",
      Effect.fn("POST /attribute")(function* ({ headers }) {
        const key = headers["x-api-key"]
        // Quotes come with the admin token. Anybody else tries the key.
        const isQuote = yield* ByOperator
        const found = key === undefined ? Option.none() : yield* accounts.attribute(Redacted.make(key), isQuote)
        return yield* Effect.mapError(Effect.fromOption(found), () => new Unattributed())
      }, Effect.catchTags(Failures.store))
    )
  })
)

export const system = HttpApiBuilder.group(
  BuilderApi,
  "system",
  Effect.fnUntraced(function* (handlers) {
    const { isStored } = yield* Readiness
    const stopping = yield* Stopping
    return handlers
      .handle("liveness", () => Effect.succeed(OK))
      .handle(
        "readiness",
        Effect.fn("GET /readyz")(function* () {
          const unready = [
            ...((yield* isStored) ? [] : (["database"] as const)),
            ...((yield* Deferred.isDone(stopping)) ? (["stopping"] as const) : [])
          ]
          return unready.length === 0 ? OK : yield* new NotReady({ unready })
        })
      )
  })
)
